// SPDX-License-Identifier: Apache-2.0
#include "query/sliced_answer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "query/deadline.h"
#include "query/runs.h"
#include "query/under_way.h"

namespace varve::query {
namespace {

using aggregate::Points;
using model::TimeRange;
using model::Timestamp;
using model::ValueKind;

// Samples of several series are held twice while they are merged, and columns grow by half or twice.
constexpr std::size_t kBytesPerSample = 64;

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

// The samples of each series. What is no number has come since they were counted.
class SampleRuns final : public storage::PieceSink {
 public:
  SampleRuns(std::size_t series, Budget& budget) : budget_(budget), runs_(series) {}

  bool takes_stats(const storage::ChunkStats& /*stats*/) override { return false; }
  void stats(const storage::ChunkStats& /*stats*/) override { check(false, "only samples are taken"); }
  Status piece(const storage::Piece& piece) override {
    if (model::in_text(piece.type)) return {};
    return append_charged(runs_[piece.series], piece.type, piece.times, piece.bits, budget_);
  }
  // Of all of them. Once.
  Result<Run> merged() {
    std::size_t charged = 0;
    std::erase_if(runs_, [](const Run& run) { return run.size() == 0; });
    for (Run& run : runs_) {
      charged += bytes_of(run);
      keep(run, 0, false);
    }
    return merge_charged(std::move(runs_), charged, budget_);
  }

 private:
  Budget& budget_;
  std::vector<Run> runs_;
};

}  // namespace

bool SlicedAnswer::fits(const Request& request) {
  return std::ranges::all_of(request.metrics, [](const MetricQuery& metric) {
    const auto* const pipeline = std::get_if<Pipeline>(&metric.how);
    return pipeline != nullptr && pipeline->stages.empty() && pipeline->splits.empty() && pipeline->limit == 0;
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
  const Pipeline& pipeline = asked.pipeline();
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
    answer.groups.push_back(without_points(plan, g, ValueKind::number, seen));
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

void SlicedAnswer::start(std::size_t metric, std::size_t group) {
  metric_ = metric, group_ = group;
  const Source& source = metrics_.at(metric).groups.at(group);
  left_ = source.range;
  const std::size_t most = std::max<std::size_t>(1, engine_.limits().slice_bytes / kBytesPerSample);
  const std::uint64_t slices = source.samples / most + 1;
  width_ms_ = std::max<std::int64_t>(1, (left_.last - left_.first) / static_cast<std::int64_t>(slices) + 1);
}

TimeRange SlicedAnswer::slice() const {
  if (left_.last - left_.first <= width_ms_) return left_;
  return metrics_[metric_].descending ? TimeRange{left_.last - width_ms_, left_.last}
                                      : TimeRange{left_.first, left_.first + width_ms_};
}

Result<Points> SlicedAnswer::next(std::size_t metric, std::size_t group) {
  if (metric != metric_ || group != group_) start(metric, group);
  const Source& source = metrics_[metric].groups[group];
  while (left_.first < left_.last) {
    const TimeRange range = slice();
    auto points = read(source, range);
    if (!points && points.error().code == Code::limit && range.last - range.first > 1) {
      width_ms_ = (range.last - range.first) / 2;  // samples lie closer here
      continue;
    }
    VARVE_RETURN_IF_ERROR(points);
    if (metrics_[metric].descending) {
      left_.last = range.first;
    } else {
      left_.first = range.last;
    }
    const bool is_small = points->size() * kBytesPerSample < engine_.limits().slice_bytes / 2;
    if (is_small && width_ms_ < std::numeric_limits<std::int64_t>::max() / 2) width_ms_ *= 2;
    if (points->size() != 0) return points;
  }
  return Points();
}

// The query has been charged for a slice. One millisecond comes as a whole, within query.memory, and is charged here.
Result<Points> SlicedAnswer::read(const Source& source, TimeRange range) const {
  const Limits& limits = engine_.limits();
  const bool is_least = range.last - range.first == 1;
  Budget budget(is_least ? limits.memory_bytes : limits.slice_bytes, is_least ? engine_.memory() : nullptr);
  SampleRuns runs(source.series.size(), budget);
  // Nobody who waits is asked: where the connection has ended, nobody calls this again.
  const Deadline deadline(engine_.clock(), limits, nullptr);
  const unsigned threads = threads_for(source.series.size(), limits);
  VARVE_RETURN_IF_ERROR(engine_.samples().scan(tenant_, source.series, deadline.options(range, threads), runs));
  VARVE_ASSIGN_OR_RETURN(Points points, runs.merged());
  if (metrics_[metric_].descending) points.reverse();
  return points;
}

}  // namespace varve::query
