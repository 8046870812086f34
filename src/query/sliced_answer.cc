// SPDX-License-Identifier: Apache-2.0
#include "query/sliced_answer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "query/deadline.h"
#include "query/joiner.h"
#include "query/number_runs.h"
#include "query/under_way.h"

namespace varve::query {
namespace {

using aggregate::Points;
using model::TimeRange;
using model::Timestamp;
using model::ValueKind;

// Samples of several series are held twice while they are merged, and columns grow by half or twice.
constexpr std::size_t kBytesPerSample = 64;
// What a series takes that is read, by samples.
constexpr std::size_t kSamplesPerSeries = 8;

// How many samples each series has, and when. One thread at a time has a series.
class SampleCounts final : public storage::PieceSink {
 public:
  struct Count {
    std::uint64_t samples = 0;
    Timestamp first = std::numeric_limits<Timestamp>::max();
    Timestamp last = std::numeric_limits<Timestamp>::min();
    bool other = false;  // some are no numbers
  };

  SampleCounts(std::size_t series, TimeRange range, RunningQueries::Ticket& ticket)
      : range_(range), ticket_(ticket), counts_(series) {}

  bool takes_stats(const storage::ChunkStats& stats) override {
    return range_.contains(stats.first_time) && range_.contains(stats.last_time);
  }
  void stats(const storage::ChunkStats& stats) override {
    ticket_.count().chunk();
    add(counts_[stats.series], stats.count, stats.first_time, stats.last_time);
  }
  Status piece(const storage::Piece& piece) override {
    if (piece.size() == 0) return {};
    ticket_.count().samples(piece.size());
    Count& count = counts_[piece.series];
    count.other = count.other || model::in_text(piece.type);
    add(count, piece.size(), piece.times.front(), piece.times.back());
    return {};
  }
  [[nodiscard]] const Count& operator[](std::size_t series) const { return counts_[series]; }

 private:
  static void add(Count& count, std::uint64_t samples, Timestamp first, Timestamp last) {
    count.samples += samples;
    count.first = std::min(count.first, first);
    count.last = std::max(count.last, last);
  }

  const TimeRange range_;
  RunningQueries::Ticket& ticket_;
  std::vector<Count> counts_;
};

// Of these series together. Each once. What is no number has come since they were counted.
Result<Run> merged(NumberRuns& of, std::span<const std::uint32_t> series, Budget& budget) {
  std::size_t charged = 0;
  std::vector<Run> runs;
  for (const std::uint32_t one : series) {
    Run run = of.take(one);
    if (run.size() == 0) continue;
    charged += bytes_of(run);
    runs.push_back(std::move(run));
  }
  return merge_charged(std::move(runs), charged, budget);
}

}  // namespace

bool SlicedAnswer::fits(const Request& request) {
  return std::ranges::all_of(request.metrics, [](const MetricQuery& metric) {
    if (const auto* const join = std::get_if<Join>(&metric.how)) {
      return join->reducer == aggregate::Reducer::none && !join->downsample && !join->rate;
    }
    const Pipeline& pipeline = metric.pipeline();
    return pipeline.stages.empty() && pipeline.splits.empty() && pipeline.limit == 0;
  });
}

Result<std::unique_ptr<SlicedAnswer>> SlicedAnswer::begin(const Engine& engine, const Request& request,
                                                          UnderWay& query) {
  check(fits(request), "the question is for samples as they are");
  VARVE_ASSIGN_OR_RETURN(const auto tenant, engine.series().find_tenant(request.tenant));
  if (!tenant) return nullptr;
  std::unique_ptr<SlicedAnswer> out(new SlicedAnswer(engine, *tenant));
  for (const MetricQuery& metric : request.metrics) {
    VARVE_ASSIGN_OR_RETURN(const bool only_numbers, out->count(request, metric, query));
    if (!only_numbers) return nullptr;
  }
  out->groups_.read = query.ticket().read();
  return out;
}

// False: not all are numbers.
Result<bool> SlicedAnswer::count(const Request& request, const MetricQuery& asked, UnderWay& query) {
  const Pipeline pipeline = read_through(asked);
  const Deadline& deadline = query.deadline();
  VARVE_ASSIGN_OR_RETURN(
      const Plan plan, make_plan(engine_.series(), tenant_, asked, pipeline, request.range, deadline, query.budget()));
  VARVE_RETURN_IF_ERROR(deadline.check());
  VARVE_RETURN_IF_ERROR(query.budget().charge(plan.series.size() * sizeof(SampleCounts::Count)));
  query.ticket().count().series(plan.series.size());
  SampleCounts counts(plan.series.size(), request.range, query.ticket());
  const unsigned threads = threads_for(plan.series.size(), engine_.limits());
  VARVE_RETURN_IF_ERROR(engine_.samples().scan(tenant_, plan.series, deadline.options(request.range, threads), counts));

  MetricAnswer& answer = groups_.metrics.emplace_back();
  Metric& metric = metrics_.emplace_back();
  metric.descending = pipeline.descending;
  if (const auto* const join = std::get_if<Join>(&asked.how)) metric.join = *join;
  for (const std::uint32_t g : plan.order) {
    Source source{{}, {std::numeric_limits<Timestamp>::max(), std::numeric_limits<Timestamp>::min()}, 0};
    std::vector<std::uint32_t> seen;
    for (const std::uint32_t member : plan.groups[g].members) {
      const SampleCounts::Count& count = counts[member];
      if (count.other) return false;
      if (count.samples == 0) continue;
      seen.push_back(member);
      source.samples += count.samples;
      source.range.first = std::min(source.range.first, count.first);
      source.range.last = std::max(source.range.last, count.last + 1);
    }
    if (seen.empty()) continue;
    answer.groups.push_back(metric.join ? alone(*metric.join, plan.tags, seen[0])
                                        : without_points(plan, g, ValueKind::number, seen));
    std::ranges::sort(seen);  // the ids ascend
    for (const std::uint32_t member : seen) source.series.push_back(plan.series[member]);
    answer.sample_size += source.samples;
    metric.groups.push_back(std::move(source));
  }
  return true;
}

std::size_t SlicedAnswer::bytes() const {
  std::size_t bytes = 0;
  std::size_t most = 0;
  for (const Metric& metric : metrics_) {
    bytes += metric.groups.capacity() * sizeof(Source);
    for (const Source& source : metric.groups) {
      bytes += source.series.capacity() * sizeof source.series[0];
      most = std::max(most, source.series.size());
    }
  }
  return bytes + most * sizeof(Run);
}

// How many samples are read at once, at most; a series counts for some more.
std::size_t SlicedAnswer::units_max() const {
  return std::max<std::size_t>(1, engine_.limits().slice_bytes / kBytesPerSample);
}

// From the group that is being read on: those that are read at once.
std::span<const SlicedAnswer::Source> SlicedAnswer::small_groups() const {
  const auto groups = std::span(metrics_[metric_].groups).subspan(group_);
  std::size_t count = 0;
  for (std::size_t units = 0; count < groups.size(); ++count) {
    units += groups[count].samples + groups[count].series.size() * kSamplesPerSeries;
    if (units > units_max()) break;
  }
  return groups.first(count);
}

Status SlicedAnswer::read_ahead() {
  const auto sources = small_groups();
  if (sources.size() < 2) return {};
  TimeRange range = sources[0].range;
  for (const Source& source : sources) {
    range = {std::min(range.first, source.range.first), std::max(range.last, source.range.last)};
  }
  auto lists = read(sources, range);
  if (lists) {
    ahead_ = std::move(*lists);
    ahead_from_ = group_;
  } else if (lists.error().code != Code::limit) {
    return fail(lists.error());
  }
  return {};  // or there are more samples than were counted: each group by itself
}

// The group's range is left to be read, unless all of it has been.
Status SlicedAnswer::start(std::size_t metric, std::size_t group) {
  if (metric != metric_) ahead_.clear();
  metric_ = metric, group_ = group;
  const auto is_ahead = [this] { return group_ >= ahead_from_ && group_ - ahead_from_ < ahead_.size(); };
  if (!is_ahead()) {
    ahead_ = std::vector<Points>();
    VARVE_RETURN_IF_ERROR(read_ahead());
  }
  const Source& source = metrics_.at(metric).groups.at(group);
  left_ = is_ahead() ? TimeRange{0, 0} : source.range;
  const auto slices = static_cast<std::int64_t>(source.samples / units_max() + 1);
  width_ms_ = std::max(metrics_[metric].step_ms(), (left_.last - left_.first) / slices + 1);
  return {};
}

TimeRange SlicedAnswer::slice() const {
  if (left_.last - left_.first <= width_ms_) return left_;
  const Metric& metric = metrics_[metric_];
  if (metric.descending) return {left_.last - width_ms_, left_.last};
  return {left_.first, model::window_start(left_.first + width_ms_, metric.step_ms())};
}

Result<Points> SlicedAnswer::next(std::size_t metric, std::size_t group) {
  if (metric != metric_ || group != group_) {
    VARVE_RETURN_IF_ERROR(start(metric, group));
    if (left_.empty()) return std::move(ahead_[group - ahead_from_]);
  }
  const Metric& of = metrics_[metric];
  while (!left_.empty()) {
    const TimeRange range = slice();
    auto lists = read({&of.groups[group], 1}, range);
    if (!lists && lists.error().code == Code::limit && range.last - range.first > of.step_ms()) {
      width_ms_ = std::max(of.step_ms(), (range.last - range.first) / 2);  // samples lie closer here
      continue;
    }
    VARVE_RETURN_IF_ERROR(lists);
    if (of.descending) {
      left_.last = range.first;
    } else {
      left_.first = range.last;
    }
    Points& points = lists->front();
    const bool is_small = points.size() * kBytesPerSample < engine_.limits().slice_bytes / 2;
    if (is_small && width_ms_ < std::numeric_limits<std::int64_t>::max() / 2) width_ms_ *= 2;
    if (points.size() != 0) return std::move(points);
  }
  return Points();
}

// The points of each. The query has been charged for a slice. A single step comes as a whole, within query.memory, and
// is charged here.
Result<std::vector<Points>> SlicedAnswer::read(std::span<const Source> sources, TimeRange range) const {
  const Metric& metric = metrics_[metric_];
  std::vector<std::pair<model::SeriesId, std::uint32_t>> order;  // with the number of its source
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const model::SeriesId id : sources[s].series) order.emplace_back(id, s);
  }
  std::ranges::sort(order);
  std::vector<model::SeriesId> series;
  std::vector<std::vector<std::uint32_t>> of_source(sources.size());
  for (const auto& [id, source] : order) {
    of_source[source].push_back(static_cast<std::uint32_t>(series.size()));
    series.push_back(id);
  }
  const Limits& limits = engine_.limits();
  const bool is_least = sources.size() == 1 && range.last - range.first <= metric.step_ms();
  Budget budget(is_least ? limits.memory_bytes : limits.slice_bytes, is_least ? engine_.memory() : nullptr);
  NumberRuns runs(series.size(), budget);
  const Deadline deadline(engine_.clock(), limits, cancelled_.get());
  const unsigned threads = threads_for(series.size(), limits);
  VARVE_RETURN_IF_ERROR(engine_.samples().scan(tenant_, series, deadline.options(range, threads), runs));
  std::vector<Points> lists;
  for (const auto& members : of_source) {
    VARVE_ASSIGN_OR_RETURN(Points points, merged(runs, members, budget));
    if (metric.join) {
      VARVE_ASSIGN_OR_RETURN(points, at_resolution(*metric.join, std::move(points)));
    }
    if (metric.descending) points.reverse();
    lists.push_back(std::move(points));
  }
  return lists;
}

}  // namespace varve::query
