// SPDX-License-Identifier: Apache-2.0
#include "query/collector.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "aggregate/pipeline.h"

namespace varve::query {

using model::ValueType;

namespace {

// The first stage, if its windows can be filled from parts.
const aggregate::Stage* windowed(const Pipeline& query) {
  return query.stages.empty() || query.limit != 0 ? nullptr : std::get_if<aggregate::Stage>(query.stages.data());
}

const aggregate::Percentile* percentile_first(const Pipeline& query) {
  const bool as_it_is = query.limit == 0 && query.splits.empty() && !query.stages.empty();
  return as_it_is ? std::get_if<aggregate::Percentile>(query.stages.data()) : nullptr;
}

const aggregate::Grid* first_grid(const Pipeline& query) {
  return query.stages.empty() ? nullptr : aggregate::grid_of(query.stages[0]);
}

// Those of the grid; where there is none, any.
aggregate::Windows windows_on(const aggregate::Grid* grid, model::TimeRange range) {
  if (grid == nullptr || grid->sampling.value <= 0) return {{}, false, range.first};
  return aggregate::windows_of(*grid, range.first);
}

// Of the windows for which histograms may be merged; nullptr: every one is wanted.
const aggregate::Grid* merging_grid(const Pipeline& query) {
  return query.limit != 0 || !query.splits.empty() ? nullptr : aggregate::merging_grid(query.stages);
}

// The column without NaN and infinities: windows are made of numbers, and rollups keep nothing else. Views into the
// column, or into memory of this thread until the next call.
aggregate::Column finite(const aggregate::Column& column) {
  if (column.type != ValueType::double_) return column;
  constexpr std::uint64_t kExponent = 0x7ff0'0000'0000'0000;
  const auto is_finite = [](std::uint64_t bits) { return (bits & kExponent) != kExponent; };
  std::size_t odd = 0;
  for (const std::uint64_t bits : column.bits) odd += is_finite(bits) ? 0 : 1;
  if (odd == 0) return column;
  thread_local std::vector<model::Timestamp> times;
  thread_local std::vector<std::uint64_t> values;
  times.clear();
  values.clear();
  for (std::size_t i = 0; i < column.bits.size(); ++i) {
    if (!is_finite(column.bits[i])) continue;
    times.push_back(column.times[i]);
    values.push_back(column.bits[i]);
  }
  return {column.type, times, values};
}

// A sum over several series needs all bins of each.
bool are_alone(const Plan& plan) {
  return std::ranges::all_of(plan.groups, [](const auto& group) { return group.members.size() == 1; });
}

}  // namespace

Collector::Collector(const Request& request, const MetricQuery& asked, const Pipeline& pipeline, const Plan& plan,
                     const Counters& counters, model::Timestamp now, Budget& budget, const Deadline& deadline,
                     KeptValues& kept)
    : request_(request),
      asked_(asked),
      pipeline_(pipeline),
      plan_(plan),
      range_(request.range),
      read_(read_range(pipeline, request.range)),
      now_(now),
      budget_(budget),
      deadline_(deadline),
      kept_(kept),
      first_(windowed(pipeline)),
      percentile_(percentile_first(pipeline)),
      counter_(counter_stage(pipeline)),
      counts_(counter_ != nullptr && pipeline.limit == 0 && pipeline.splits.empty()),
      only_extremes_(counts_ && counter_->extremes_in_ms != 0 && are_alone(plan)),
      counters_(counters),
      scans_(counts_ ? counters.scans(read_, aggregate::grows_in(*counter_, read_)) : std::vector{read_}),
      charge_(charge_of(budget, deadline)),
      windows_(windows_on(first_grid(pipeline), range_)),
      merges_(merging_grid(pipeline) != nullptr),
      merge_windows_(windows_on(merging_grid(pipeline), range_)),
      joins_(std::holds_alternative<Join>(asked.how)),
      groups_(joins_ && first_ == nullptr ? nullptr : std::make_unique<GroupState[]>(plan.groups.size())),
      seen_(plan.series.size()),
      runs_(first_ != nullptr || percentile_ != nullptr || counts_ ? 0 : plan.series.size()),
      counted_(counts_ ? plan.series.size() : 0),
      counted_samples_(counted_.size()) {}

bool Collector::takes_summaries() const {
  return first_ != nullptr && pipeline_.splits.empty() && aggregate::takes_summary(first_->function);
}

bool Collector::takes_stats(std::uint32_t series, const storage::ChunkStats& stats) const {
  if (!takes_summaries() && !again_) return false;
  const bool in_one_window = read_.contains(stats.first_time) && read_.contains(stats.last_time) &&
                             windows_.index(stats.first_time) == windows_.index(stats.last_time);
  if (!in_one_window || !again_) return in_one_window;
  GroupState& group = group_of(series);
  const MutexLock lock(group.mutex);
  return group.values.may_skip(windows_.index(stats.first_time), stats.min, stats.max);
}

bool Collector::takes_windows(std::uint32_t series, model::TimeRange range, std::int64_t width_ms) const {
  if (counts_) {
    const model::TimeRange grows = aggregate::grows_in(*counter_, read_);
    if (!counters_.has_own_rules(series) || range.first < grows.first || range.last > grows.last) return false;
    return only_extremes_ ? counter_->extremes_in_ms % width_ms == 0 : windows_.are_made_of(width_ms, range);
  }
  if (again_ || range.first < read_.first || range.last > read_.last) return false;
  // Where both are taken, the step is the same.
  if (takes_summaries()) return windows_.are_made_of(width_ms, range);
  return merges_ && merge_windows_.are_made_of(width_ms, range);
}

storage::WindowFields Collector::window_fields(std::uint32_t series) const {
  if (counts_) {
    return {.numbers = false, .counters = counters_.has_own_rules(series), .summaries = only_extremes_};
  }
  if (!takes_summaries()) return {.numbers = false, .histograms = merges_};
  using enum aggregate::Function;
  const aggregate::Function f = first_->function;
  return {.first_time = first_->stamp == aggregate::Stamp::sample,
          .sum = f == avg || f == sum,
          .min = f == min,
          .max = f == max,
          .histograms = merges_};
}

Status Collector::add_cells(GroupState& group, std::uint64_t samples, const auto& add) {
  std::size_t more = 0;
  {
    const MutexLock lock(group.mutex);
    const std::size_t before = group.cells.bytes();
    add(group.cells);
    more = std::max(group.cells.bytes(), before) - before;
    group.samples += samples;
  }
  return more == 0 ? Status{} : budget_.charge(more);
}

Status Collector::stats(std::uint32_t series, const storage::ChunkStats& stats) {
  if (again_) {
    GroupState& group = group_of(series);
    const MutexLock lock(group.mutex);
    group.values.skip(windows_.index(stats.first_time), stats.min, stats.max, stats.count);
    return {};
  }
  using enum aggregate::Function;
  const aggregate::Function f = first_->function;
  const auto value = std::bit_cast<std::uint64_t>(f == min ? stats.min : f == max ? stats.max : stats.sum);
  return add(series, {{&stats.first_time, 1}, {&stats.count, 1}, {&value, 1}});
}

Status Collector::windows(std::uint32_t series, const storage::WindowColumns& windows) {
  const storage::WindowFields fields = window_fields(series);
  aggregate::Summaries summaries{windows.starts, windows.counts, windows.counts};
  if (fields.sum) summaries.values = windows.sums;
  if (fields.min) summaries.values = windows.mins;
  if (fields.max) summaries.values = windows.maxs;
  if (!fields.first_time) return add(series, summaries);
  thread_local std::vector<model::Timestamp> times;
  times.resize(windows.size());
  std::ranges::transform(
      windows.starts, windows.offsets, times.begin(),
      [](model::Timestamp start, std::uint64_t offset) { return start + static_cast<std::int64_t>(offset); });
  summaries.times = times;
  return add(series, summaries);
}

Status Collector::add(std::uint32_t series, const aggregate::Summaries& summaries) {
  seen_[series] |= bit_of(Kind::number);
  const auto samples = std::reduce(summaries.counts.begin(), summaries.counts.end());
  return add_cells(group_of(series), samples,
                   [&](aggregate::CellSet& cells) { cells.add(first_->function, windows_, summaries); });
}

Status Collector::piece(std::uint32_t series, const storage::Piece& piece) {
  if (piece.size() == 0) return {};
  if (model::in_text(piece.type) && again_) return {};
  if (model::in_text(piece.type)) return add_texts(series, model::kind_of(piece.type), piece.times, piece.texts, 0);
  if (counts_) return add_counted(series, piece);
  if (first_ == nullptr && percentile_ == nullptr) {
    seen_[series] |= bit_of(Kind::number);
    return add_run(series, piece);
  }
  // A series without a number here is not seen: there will be no window of it either.
  const aggregate::Column column = finite({piece.type, piece.times, piece.bits});
  if (column.times.empty()) return {};
  seen_[series] |= bit_of(Kind::number);
  if (percentile_ != nullptr) return add_values(group_of(series), column);
  if (!pipeline_.splits.empty()) return add_parts(group_of(series), column);
  thread_local std::vector<aggregate::Cell> cells;
  cells.clear();
  aggregate::reduce(first_->function, windows_, column, cells);
  return add_cells(group_of(series), column.times.size(),
                   [&](aggregate::CellSet& set) { set.add(first_->function, cells); });
}

bool Collector::wants(std::uint32_t series) const {
  return !again_ || !groups_[plan_.group_of[series]].values.complete();
}

bool Collector::end_scan() {
  if (percentile_ == nullptr) return false;
  const std::span groups(groups_.get(), plan_.groups.size());
  const auto is_complete = [](GroupState& group) VARVE_NO_THREAD_ANALYSIS { return group.values.complete(); };
  if (std::ranges::all_of(groups, is_complete)) return false;
  again_ = true;
  for (GroupState& group : groups) {
    const std::size_t before = group.values.bytes();
    group.values.end_pass(*percentile_);
    const std::size_t less = before - group.values.bytes();
    kept_.bytes -= less;
    budget_.release(less);
  }
  return !std::ranges::all_of(groups, is_complete);
}

}  // namespace varve::query
