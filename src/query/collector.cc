// SPDX-License-Identifier: Apache-2.0
#include "query/collector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "aggregate/apply.h"

namespace varve::query {

using aggregate::Cell;
using aggregate::Points;
using model::ValueType;

namespace {

aggregate::Windows first_windows(const MetricQuery& query, model::TimeRange range) {
  if (query.stages.empty() || query.stages[0].sampling.value <= 0) return {{}, false, range.first};
  return aggregate::windows_of(query.stages[0], range.first);
}

// Sums can overflow, and JSON has no infinity. (A NaN that was stored is another matter: it is shown as null.)
Status check_finite(const MetricQuery& query, const Points& points) {
  using enum aggregate::Function;
  for (const aggregate::Stage& stage : query.stages) {
    if (stage.function != sum && stage.function != avg) continue;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points.type_of(i) != ValueType::double_ || !std::isinf(std::bit_cast<double>(points.bits[i]))) continue;
      return fail(Code::invalid, std::string(stage.function == sum ? "the sum" : "the average") + " of " +
                                     query.metric + " at " + std::to_string(points.times[i]) + " is infinite");
    }
  }
  return {};
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

}  // namespace

Collector::Collector(const MetricQuery& query, const Plan& plan, model::TimeRange range, Budget& budget)
    : query_(query),
      plan_(plan),
      range_(range),
      budget_(budget),
      windowed_(!query.stages.empty() && query.limit == 0),
      windows_(first_windows(query, range)),
      groups_(std::make_unique<GroupState[]>(plan.groups.size())),
      seen_(plan.series.size()),
      runs_(windowed_ ? 0 : plan.series.size()) {}

bool Collector::takes_stats(const storage::ChunkStats& stats) const {
  return windowed_ && aggregate::takes_summary(query_.stages[0].function) && range_.contains(stats.first_time) &&
         range_.contains(stats.last_time) && windows_.index(stats.first_time) == windows_.index(stats.last_time);
}

bool Collector::takes_windows(model::TimeRange range, std::int64_t width_ms) const {
  return windowed_ && aggregate::takes_summary(query_.stages[0].function) && range.first >= range_.first &&
         range.last <= range_.last && windows_.is_made_of(width_ms);
}

storage::WindowFields Collector::window_fields() const {
  if (!windowed_) return {};
  using enum aggregate::Function;
  const aggregate::Function f = query_.stages[0].function;
  return {.first_time = query_.stages[0].stamp == aggregate::Stamp::sample,
          .sum = f == avg || f == sum,
          .min = f == min,
          .max = f == max};
}

Status Collector::add_cells(GroupState& group, std::uint64_t samples, const auto& add) {
  std::size_t more = 0;
  {
    const std::lock_guard lock(group.mutex);
    const std::size_t before = group.cells.bytes();
    add(group.cells);
    more = std::max(group.cells.bytes(), before) - before;
    group.samples += samples;
  }
  return more == 0 ? Status{} : budget_.charge(more);
}

Status Collector::stats(std::uint32_t series, const storage::ChunkStats& stats) {
  using enum aggregate::Function;
  const aggregate::Function f = query_.stages[0].function;
  const auto value = std::bit_cast<std::uint64_t>(f == min ? stats.min : f == max ? stats.max : stats.sum);
  return add(series, {{&stats.first_time, 1}, {&stats.count, 1}, {&value, 1}});
}

Status Collector::windows(std::uint32_t series, const storage::WindowColumns& windows) {
  const storage::WindowFields fields = window_fields();
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
  seen_[series] |= kNumbers;
  const auto samples = std::reduce(summaries.counts.begin(), summaries.counts.end());
  return add_cells(group_of(series), samples,
                   [&](aggregate::CellSet& cells) { cells.add(query_.stages[0].function, windows_, summaries); });
}

Status Collector::piece(std::uint32_t series, const storage::Piece& piece) {
  if (piece.size() == 0) return {};
  if (piece.type == ValueType::string) return add_texts(series, piece);
  if (!windowed_) {
    seen_[series] |= kNumbers;
    return add_run(series, piece);
  }
  // A series without a number here is not seen: there will be no window of it either.
  const aggregate::Column column = finite({piece.type, piece.times, piece.bits});
  if (column.times.empty()) return {};
  seen_[series] |= kNumbers;
  thread_local std::vector<Cell> cells;
  cells.clear();
  aggregate::reduce(query_.stages[0].function, windows_, column, cells);
  return add_cells(group_of(series), column.times.size(),
                   [&](aggregate::CellSet& set) { set.add(query_.stages[0].function, cells); });
}

Status Collector::add_run(std::uint32_t series, const storage::Piece& piece) {
  Run& run = runs_[series];
  const std::size_t before = run.capacity();
  for (std::size_t i = 0; i < piece.size(); ++i) run.push_back({piece.times[i], piece.bits[i], piece.type});
  if (run.capacity() > before) VARVE_CHECK_OK(budget_.charge((run.capacity() - before) * sizeof(Number)));
  // With a limit no series keeps much more than that, however long it is.
  if (query_.limit != 0 && run.size() / 2 > query_.limit + 2048) keep(run, query_.limit, query_.descending);
  return {};
}

Status Collector::add_texts(std::uint32_t series, const storage::Piece& piece) {
  seen_[series] |= kTexts;
  std::size_t bytes = piece.size() * (sizeof(Text) + sizeof(std::string) + sizeof(model::Timestamp));
  for (const std::string_view text : piece.texts) bytes += text.size();
  VARVE_CHECK_OK(budget_.charge(bytes));
  GroupState& group = group_of(series);
  const std::lock_guard lock(group.mutex);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    group.texts.push_back({piece.times[i], series, std::string(piece.texts[i])});
  }
  return {};
}

Result<Points> Collector::numbers_of(std::uint32_t group, std::uint64_t& samples) {
  GroupState& state = groups_[group];
  if (windowed_) {
    samples += state.samples;
    const auto cells = state.cells.take(query_.stages[0].function);
    VARVE_CHECK_OK(budget_.charge(cells.size() * sizeof(Number)));
    return aggregate::to_points(query_.stages[0], windows_, cells);
  }
  std::vector<Run> runs;
  std::size_t total = 0;
  std::size_t held = 0;
  for (const std::uint32_t series : plan_.groups[group].members) {
    if (runs_[series].empty()) continue;
    held += runs_[series].capacity() * sizeof(Number);
    runs.push_back(std::move(runs_[series]));
    keep(runs.back(), query_.limit, query_.descending);
    total += runs.back().size();
  }
  samples += total;
  VARVE_CHECK_OK(budget_.charge(runs.size() > 1 ? total * sizeof(Number) : 0));  // what merging copies to
  VARVE_CHECK_OK(budget_.charge(total * sizeof(Number)));                        // the points
  held += runs.size() > 1 ? total * sizeof(Number) : 0;
  Run merged = merge(std::move(runs));
  keep(merged, query_.limit, query_.descending);
  Points points = to_points(merged);
  budget_.release(held);
  return points;
}

void Collector::put_group(std::uint32_t group, Seen kind, Points points, MetricAnswer& answer) const {
  Group& out = answer.groups.emplace_back();
  out.group_values = plan_.groups[group].values;
  out.text = kind == kTexts;
  std::vector<std::uint32_t> members;
  for (const std::uint32_t series : plan_.groups[group].members) {
    if ((seen_[series] & kind) != 0) members.push_back(series);
  }
  out.tags = plan_.tags.merged(members);
  out.points = std::move(points);
  if (query_.descending) out.points.reverse();
}

Result<MetricAnswer> Collector::finish(const std::function<Status()>& alive) {
  MetricAnswer answer;
  for (const std::uint32_t group : plan_.order) {
    VARVE_CHECK_OK(alive());
    const auto saw = [&](Seen kind) {
      return std::ranges::any_of(plan_.groups[group].members, [&](std::uint32_t s) { return (seen_[s] & kind) != 0; });
    };
    if (saw(kNumbers)) {
      VARVE_TRY(Points points, numbers_of(group, answer.sample_size));
      for (std::size_t i = windowed_ ? 1 : 0; i < query_.stages.size(); ++i) {
        points = aggregate::apply(query_.stages[i], range_.first, std::move(points));
      }
      VARVE_CHECK_OK(check_finite(query_, points));
      put_group(group, kNumbers, std::move(points), answer);
    }
    if (saw(kTexts)) {
      auto& texts = groups_[group].texts;
      answer.sample_size += keep(texts, query_.limit, query_.descending);
      Points points = to_points(std::move(texts));
      for (const aggregate::Stage& stage : query_.stages) {
        points = aggregate::apply(stage, range_.first, std::move(points));
      }
      put_group(group, kTexts, std::move(points), answer);
    }
  }
  return answer;
}

}  // namespace varve::query
