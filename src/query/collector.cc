// SPDX-License-Identifier: Apache-2.0
#include "query/collector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "aggregate/pipeline.h"

namespace varve::query {

using aggregate::Cell;
using aggregate::Points;
using model::ValueType;

namespace {

// The first stage, if its windows can be filled from parts.
const aggregate::Stage* windowed(const MetricQuery& query) {
  return query.stages.empty() || query.limit != 0 ? nullptr : std::get_if<aggregate::Stage>(query.stages.data());
}

const aggregate::Percentile* percentile_first(const MetricQuery& query) {
  const bool as_it_is = query.limit == 0 && query.splits.empty() && !query.stages.empty();
  return as_it_is ? std::get_if<aggregate::Percentile>(query.stages.data()) : nullptr;
}

aggregate::Windows first_windows(const MetricQuery& query, model::TimeRange range) {
  const aggregate::Grid* grid = query.stages.empty() ? nullptr : aggregate::grid_of(query.stages[0]);
  if (grid == nullptr || grid->sampling.value <= 0) return {{}, false, range.first};
  return aggregate::windows_of(*grid, range.first);
}

// Of the windows for which histograms may be merged; nullptr: every one is wanted.
const aggregate::Grid* merging_grid(const MetricQuery& query) {
  return query.limit != 0 || !query.splits.empty() ? nullptr : aggregate::merging_grid(query.stages);
}

aggregate::Windows merging_windows(const MetricQuery& query, model::TimeRange range) {
  const aggregate::Grid* grid = merging_grid(query);
  if (grid == nullptr || grid->sampling.value <= 0) return {{}, false, range.first};
  return aggregate::windows_of(*grid, range.first);
}

// What is computed can overflow, and JSON has no infinity. (A NaN that was stored is another matter: it is shown as
// null.)
Status check_finite(const MetricQuery& query, const Points& points) {
  const auto step = std::ranges::find_if(query.stages.rbegin(), query.stages.rend(), aggregate::computes);
  if (step == query.stages.rend()) return {};
  const auto is_infinite = [](std::uint64_t bits) { return bits << 1 == std::uint64_t{0x7ff} << 53; };
  std::size_t infinite = 0;  // or longs that look like it
  for (const std::uint64_t bits : points.bits) infinite += is_infinite(bits) ? 1 : 0;
  for (std::size_t i = 0; infinite != 0 && i < points.size(); ++i) {
    if (points.type_of(i) != ValueType::double_ || !is_infinite(points.bits[i])) continue;
    const std::string_view name = aggregate::name_of(*step);
    return fail(Code::invalid, "the " + std::string(name == "avg" ? "average" : name) + " of " + query.metric + " at " +
                                   std::to_string(points.times[i]) + " is infinite");
  }
  return {};
}

// About what a copy takes.
std::size_t bytes_of(const TagUnion& tags) {
  std::size_t bytes = tags.size() * sizeof(tags[0]);
  for (const auto& [key, values] : tags) {
    for (const std::string& value : values) bytes += sizeof value + (value.size() > 15 ? value.size() : 0);
  }
  return bytes;
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

Collector::Collector(const Request& request, const MetricQuery& query, const Plan& plan, model::Timestamp now,
                     Budget& budget)
    : request_(request),
      query_(query),
      plan_(plan),
      range_(request.range),
      now_(now),
      budget_(budget),
      first_(windowed(query)),
      percentile_(percentile_first(query)),
      windows_(first_windows(query, range_)),
      merges_(merging_grid(query) != nullptr),
      merge_windows_(merging_windows(query, range_)),
      groups_(std::make_unique<GroupState[]>(plan.groups.size())),
      seen_(plan.series.size()),
      runs_(first_ != nullptr || percentile_ != nullptr ? 0 : plan.series.size()) {}

bool Collector::takes_summaries() const {
  return first_ != nullptr && query_.splits.empty() && aggregate::takes_summary(first_->function);
}

bool Collector::takes_stats(const storage::ChunkStats& stats) const {
  return takes_summaries() && range_.contains(stats.first_time) && range_.contains(stats.last_time) &&
         windows_.index(stats.first_time) == windows_.index(stats.last_time);
}

bool Collector::takes_windows(model::TimeRange range, std::int64_t width_ms) const {
  if (range.first < range_.first || range.last > range_.last) return false;
  // Where both are taken, the step is the same.
  if (takes_summaries()) return windows_.are_made_of(width_ms, range);
  return merges_ && merge_windows_.are_made_of(width_ms, range);
}

storage::WindowFields Collector::window_fields() const {
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
  const aggregate::Function f = first_->function;
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
  seen_[series] |= bit_of(Kind::number);
  const auto samples = std::reduce(summaries.counts.begin(), summaries.counts.end());
  return add_cells(group_of(series), samples,
                   [&](aggregate::CellSet& cells) { cells.add(first_->function, windows_, summaries); });
}

Status Collector::piece(std::uint32_t series, const storage::Piece& piece) {
  if (piece.size() == 0) return {};
  if (model::in_text(piece.type)) return add_texts(series, model::kind_of(piece.type), piece.times, piece.texts, 0);
  if (first_ == nullptr && percentile_ == nullptr) {
    seen_[series] |= bit_of(Kind::number);
    return add_run(series, piece);
  }
  // A series without a number here is not seen: there will be no window of it either.
  const aggregate::Column column = finite({piece.type, piece.times, piece.bits});
  if (column.times.empty()) return {};
  seen_[series] |= bit_of(Kind::number);
  if (percentile_ != nullptr) return add_values(group_of(series), column);
  if (!query_.splits.empty()) return add_parts(group_of(series), column);
  thread_local std::vector<Cell> cells;
  cells.clear();
  aggregate::reduce(first_->function, windows_, column, cells);
  return add_cells(group_of(series), column.times.size(),
                   [&](aggregate::CellSet& set) { set.add(first_->function, cells); });
}

Status Collector::add_values(GroupState& group, const aggregate::Column& column) {
  std::size_t more = 0;
  {
    const std::lock_guard lock(group.mutex);
    const std::size_t before = group.values.bytes();
    group.samples += group.values.add(windows_, column);
    more = group.values.bytes() - before;
  }
  return more == 0 ? Status{} : budget_.charge(more);
}

Status Collector::add_parts(GroupState& group, const aggregate::Column& column) {
  Points points;
  points.type = column.type;
  points.times.assign(column.times.begin(), column.times.end());
  points.bits.assign(column.bits.begin(), column.bits.end());
  std::vector<Cell> cells;
  for (const auto& [key, samples] : aggregate::split(query_.splits, range_.first, std::move(points))) {
    cells.clear();
    aggregate::reduce(first_->function, windows_, {samples.type, samples.times, samples.bits}, cells);
    const std::size_t edge = query_.descending ? samples.size() - 1 : 0;
    const Number sample{samples.times[edge], samples.bits[edge], samples.type};
    std::size_t more = 0;
    {
      const std::lock_guard lock(group.mutex);
      const auto [at, is_new] = group.parts.try_emplace(key);
      Part& part = at->second;
      const std::size_t before = part.cells.bytes();
      part.cells.add(first_->function, cells);
      part.samples += samples.size();
      if (is_new || (query_.descending ? part.edge < sample : sample < part.edge)) part.edge = sample;
      more = std::max(part.cells.bytes(), before) - before;
      if (is_new) more += sizeof(*at) + key.size() * sizeof(std::int64_t) + sizeof(Group) + 64;  // and of the answer
    }
    if (more != 0) VARVE_CHECK_OK(budget_.charge(more));
  }
  return {};
}

Status Collector::add_run(std::uint32_t series, const storage::Piece& piece) {
  Run& run = runs_[series];
  const std::size_t before = bytes_of(run);
  append(run, piece.type, piece.times, piece.bits);
  if (bytes_of(run) > before) VARVE_CHECK_OK(budget_.charge(bytes_of(run) - before));
  // With a limit no series keeps much more than that, however long it is.
  if (query_.limit != 0 && run.size() / 2 > query_.limit + 2048) keep_each_type(run, query_.limit, query_.descending);
  return {};
}

Status Collector::histograms(std::uint32_t series, const storage::HistogramColumns& windows) {
  const auto samples = std::reduce(windows.counts.begin(), windows.counts.end());
  return add_texts(series, Kind::histogram, windows.times, windows.merged, samples - windows.size());
}

// `merged`: how many samples more there were, that are in these.
Status Collector::add_texts(std::uint32_t series, Kind kind, std::span<const model::Timestamp> times,
                            std::span<const std::string_view> texts, std::uint64_t merged) {
  seen_[series] |= bit_of(kind);
  std::size_t bytes = times.size() * (sizeof(Text) + sizeof(std::string) + sizeof(model::Timestamp));
  for (const std::string_view text : texts) bytes += text.size();
  VARVE_CHECK_OK(budget_.charge(bytes));
  GroupState& group = group_of(series);
  const std::lock_guard lock(group.mutex);
  group.merged += merged;
  std::vector<Text>& kept = group.texts[static_cast<std::size_t>(kind)];
  for (std::size_t i = 0; i < times.size(); ++i) kept.push_back({times[i], series, std::string(texts[i])});
  return {};
}

bool Collector::saw(std::uint32_t group, Kind kind) const {
  return std::ranges::any_of(plan_.groups[group].members,
                             [&](std::uint32_t s) { return (seen_[s] & bit_of(kind)) != 0; });
}

Result<Points> Collector::merged_numbers(std::uint32_t group, std::uint64_t& samples) {
  std::vector<Run> runs;
  std::size_t total = 0;
  std::size_t held = 0;
  for (const std::uint32_t series : plan_.groups[group].members) {
    if (runs_[series].size() == 0) continue;
    held += bytes_of(runs_[series]);
    runs.push_back(std::move(runs_[series]));
    keep_each_type(runs.back(), query_.limit, query_.descending);
    total += runs.back().size();
  }
  samples += total;
  const bool copied = runs.size() > 1;
  if (copied) VARVE_CHECK_OK(budget_.charge(total * sizeof(Number)));
  Run merged = merge(std::move(runs));
  if (copied) budget_.release(held);
  return merged;
}

// Without points.
Group Collector::head_of(std::uint32_t group, Kind kind) const {
  Group out;
  out.group_values = plan_.groups[group].values;
  out.kind = kind;
  std::vector<std::uint32_t> members;
  for (const std::uint32_t series : plan_.groups[group].members) {
    if ((seen_[series] & bit_of(kind)) != 0) members.push_back(series);
  }
  out.tags = plan_.tags.merged(members);
  return out;
}

Status Collector::put(Group group, Points points, std::span<const aggregate::Step> steps, MetricAnswer& answer) {
  const aggregate::Scope scope{range_.first, std::min(range_.last - 1, now_),
                               [&](std::size_t bytes) { return budget_.charge(bytes); }};
  const auto saved = [&](const aggregate::SaveAs& save, const Points& so_far) {
    return request_.save ? request_.save(query_, group, save, so_far) : Status{};
  };
  VARVE_TRY(points, aggregate::run(steps, scope, query_.descending, std::move(points), saved));
  if (!points.in_text()) VARVE_CHECK_OK(check_finite(query_, points));
  group.points = std::move(points);
  answer.groups.push_back(std::move(group));
  return {};
}

// Samples that were kept, ascending: all steps are still to be done.
Status Collector::put_samples(Group head, Points points, MetricAnswer& answer) {
  if (query_.splits.empty()) {
    keep(points, query_.limit, query_.descending);
    return put(std::move(head), std::move(points), query_.stages, answer);
  }
  VARVE_CHECK_OK(budget_.charge(points.size() * sizeof(Number) * (1 + query_.splits.size())));
  if (query_.descending) points.reverse();  // parts are in order of what comes first in the answer
  auto parts = aggregate::split(query_.splits, range_.first, std::move(points));
  VARVE_CHECK_OK(budget_.charge(parts.size() * (sizeof(Group) + bytes_of(head.tags))));
  for (auto& [key, samples] : parts) {
    if (query_.descending) samples.reverse();
    keep(samples, query_.limit, query_.descending);
    Group group = head;
    group.split = key;
    VARVE_CHECK_OK(put(std::move(group), std::move(samples), query_.stages, answer));
  }
  return {};
}

Status Collector::put_parts(std::uint32_t group, Group head, MetricAnswer& answer) {
  auto& parts = groups_[group].parts;
  VARVE_CHECK_OK(budget_.charge(parts.size() * bytes_of(head.tags)));
  std::vector<std::pair<const aggregate::SplitKey*, Part*>> order;
  for (auto& [key, part] : parts) order.emplace_back(&key, &part);
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
    return query_.descending ? b.second->edge < a.second->edge : a.second->edge < b.second->edge;
  });
  for (const auto& [key, part] : order) {
    answer.sample_size += part->samples;
    Group one = head;
    one.split = *key;
    const auto cells = part->cells.take(first_->function);
    VARVE_CHECK_OK(budget_.charge(cells.size() * sizeof(Number)));
    VARVE_CHECK_OK(put(std::move(one), aggregate::to_points(*first_, windows_, cells),
                       std::span(query_.stages).subspan(1), answer));
  }
  return {};
}

Status Collector::put_numbers(std::uint32_t group, MetricAnswer& answer) {
  if (percentile_ != nullptr) {
    answer.sample_size += groups_[group].samples;
    return put(head_of(group, Kind::number), groups_[group].values.take(*percentile_, windows_),
               std::span(query_.stages).subspan(1), answer);
  }
  if (first_ == nullptr) {
    VARVE_TRY(Points points, merged_numbers(group, answer.sample_size));
    return put_samples(head_of(group, Kind::number), std::move(points), answer);
  }
  if (!query_.splits.empty()) return put_parts(group, head_of(group, Kind::number), answer);
  GroupState& state = groups_[group];
  answer.sample_size += state.samples;
  const auto cells = state.cells.take(first_->function);
  VARVE_CHECK_OK(budget_.charge(cells.size() * sizeof(Number)));
  return put(head_of(group, Kind::number), aggregate::to_points(*first_, windows_, cells),
             std::span(query_.stages).subspan(1), answer);
}

Status Collector::put_texts(std::uint32_t group, Kind kind, MetricAnswer& answer) {
  auto& texts = groups_[group].texts[static_cast<std::size_t>(kind)];
  keep(texts, query_.limit, query_.descending);
  answer.sample_size += texts.size();
  if (kind == Kind::histogram) answer.sample_size += groups_[group].merged;
  return put_samples(head_of(group, kind), to_points(kind, std::move(texts)), answer);
}

Result<MetricAnswer> Collector::finish(const std::function<Status()>& alive) {
  MetricAnswer answer;
  for (const Kind kind : {Kind::number, Kind::text, Kind::complex, Kind::histogram}) {
    for (const std::uint32_t group : plan_.order) {
      if (!saw(group, kind)) continue;
      VARVE_CHECK_OK(alive());
      VARVE_CHECK_OK(kind == Kind::number ? put_numbers(group, answer) : put_texts(group, kind, answer));
    }
  }
  if (answer.groups.empty()) {
    VARVE_TRY(answer.of_nothing, of_nothing(request_, query_, now_, budget_));
  }
  return answer;
}

Result<Points> Collector::of_nothing(const Request& request, const MetricQuery& query, model::Timestamp now,
                                     Budget& budget) {
  const auto marks = [](const aggregate::Step& step) { return std::holds_alternative<aggregate::Gaps>(step); };
  if (!query.splits.empty() || std::ranges::none_of(query.stages, marks)) return Points();
  const aggregate::Scope scope{request.range.first, std::min(request.range.last - 1, now),
                               [&](std::size_t bytes) { return budget.charge(bytes); }};
  return aggregate::run(query.stages, scope, query.descending, {}, {});
}

}  // namespace varve::query
