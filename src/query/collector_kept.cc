// SPDX-License-Identifier: Apache-2.0
// Collector: what is kept of samples that are no cells, and of texts.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "query/collector.h"

namespace varve::query {

using aggregate::Cell;
using aggregate::Points;

namespace {

// The positions of the times in the range, which ascend.
std::pair<std::size_t, std::size_t> part_in(model::TimeRange range, std::span<const model::Timestamp> times) {
  const auto place = [&](model::Timestamp t) {
    return static_cast<std::size_t>(std::ranges::lower_bound(times, t) - times.begin());
  };
  return {place(range.first), place(range.last)};
}

}  // namespace

Status Collector::add_values(GroupState& group, const aggregate::Column& column) {
  std::size_t before = 0;
  std::size_t after = 0;
  {
    const MutexLock lock(group.mutex);
    before = group.values.bytes();
    const std::size_t kept = kept_.bytes;
    const std::size_t added = group.values.add(windows_, column, kept_.bytes_max - std::min(kept, kept_.bytes_max));
    group.samples += again_ ? 0 : added;
    after = group.values.bytes();
  }
  kept_.bytes += after - before;  // or less: the difference wraps around
  if (after < before) budget_.release(before - after);
  return after <= before ? Status{} : budget_.charge(after - before);
}

Status Collector::add_parts(GroupState& group, const aggregate::Column& column) {
  Points points;
  points.type = column.type;
  points.times.assign(column.times.begin(), column.times.end());
  points.bits.assign(column.bits.begin(), column.bits.end());
  std::vector<Cell> cells;
  for (const auto& [key, samples] : aggregate::split(pipeline_.splits, range_.first, std::move(points))) {
    cells.clear();
    aggregate::reduce(first_->function, windows_, {samples.type, samples.times, samples.bits}, cells);
    const std::size_t edge = pipeline_.descending ? samples.size() - 1 : 0;
    const Number sample{samples.times[edge], samples.bits[edge], samples.type};
    std::size_t more = 0;
    {
      const MutexLock lock(group.mutex);
      const auto [at, is_new] = group.parts.try_emplace(key);
      Part& part = at->second;
      const std::size_t before = part.cells.bytes();
      part.cells.add(first_->function, cells);
      part.samples += samples.size();
      if (is_new || (pipeline_.descending ? part.edge < sample : sample < part.edge)) part.edge = sample;
      more = std::max(part.cells.bytes(), before) - before;
      if (is_new) more += sizeof(*at) + key.size() * sizeof(std::int64_t) + sizeof(Group) + 64;  // and of the answer
    }
    if (more != 0) VARVE_RETURN_IF_ERROR(budget_.charge(more));
  }
  return {};
}

Status Collector::add_run(std::uint32_t series, const storage::Piece& piece) {
  Run& run = runs_[series];
  VARVE_RETURN_IF_ERROR(append_charged(run, piece.type, piece.times, piece.bits, budget_));
  // With a limit no series keeps much more than that, however long it is.
  if (pipeline_.limit != 0 && run.size() / 2 > pipeline_.limit + 2048)
    keep_each_type(run, pipeline_.limit, pipeline_.descending);
  return {};
}

Status Collector::histograms(std::uint32_t series, const storage::HistogramColumns& windows) {
  const auto samples = std::reduce(windows.counts.begin(), windows.counts.end());
  return add_texts(series, Kind::histogram, windows.times, windows.merged, samples - windows.size());
}

// `merged`: how many samples more there were, that are in these.
Status Collector::add_texts(std::uint32_t series, Kind kind, std::span<const model::Timestamp> times,
                            std::span<const std::string_view> texts, std::uint64_t merged) {
  // What is read around the range is for counters.
  const auto [from, to] = part_in(read_, times);
  if (from == to || joins_) return {};
  times = times.subspan(from, to - from);
  texts = texts.subspan(from, to - from);
  seen_[series] |= bit_of(kind);
  std::size_t bytes = times.size() * (sizeof(Text) + sizeof(std::string) + sizeof(model::Timestamp));
  for (const std::string_view text : texts) bytes += text.size();
  VARVE_RETURN_IF_ERROR(budget_.charge(bytes));
  GroupState& group = group_of(series);
  const MutexLock lock(group.mutex);
  group.merged += merged;
  std::vector<Text>& kept = group.texts[static_cast<std::size_t>(kind)];
  for (std::size_t i = 0; i < times.size(); ++i) kept.push_back({times[i], series, std::string(texts[i])});
  return {};
}

}  // namespace varve::query
