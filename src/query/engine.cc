// SPDX-License-Identifier: Apache-2.0
#include "query/engine.h"

#include <algorithm>
#include <deque>
#include <map>
#include <thread>

#include "model/time.h"
#include "query/collecting_sink.h"
#include "query/collector.h"
#include "query/counters.h"
#include "query/deadline.h"
#include "query/plan.h"
#include "query/sliced_answer.h"
#include "query/under_way.h"

namespace varve::query {

namespace {

// With the number of threads that 0 stands for, which the system reads from a file each time.
Limits counted(Limits limits) {
  if (limits.threads == 0) limits.threads = std::max(1U, std::thread::hardware_concurrency());
  return limits;
}

// The metrics are read together, so that a block holding several of them is decoded once; but a scan takes each series
// once and all of one range, so a metric that is asked for again, or of another range, waits for the next scan; and
// metrics that matchers find have one of their own.
std::vector<std::vector<std::uint32_t>> scans_of(const Request& request, const std::deque<Collector>& collectors) {
  using Ends = std::vector<std::pair<model::Timestamp, model::Timestamp>>;
  std::vector<std::vector<std::uint32_t>> scans;
  std::map<std::pair<Ends, std::string_view>, std::size_t> asked;  // how often, of ranges
  std::map<std::pair<Ends, std::size_t>, std::size_t> numbers;     // of the n-th scan of ranges
  for (std::uint32_t m = 0; m < request.metrics.size(); ++m) {
    const auto* const name = std::get_if<std::string>(&request.metrics[m].metric);
    if (name == nullptr) {
      scans.push_back({m});
      continue;
    }
    Ends ends;
    for (const model::TimeRange& range : collectors[m].scan_ranges()) ends.emplace_back(range.first, range.last);
    const std::size_t nth = asked[{ends, *name}]++;
    const auto [scan, is_new] = numbers.try_emplace({ends, nth}, scans.size());
    if (is_new) scans.emplace_back();
    scans[scan->second].push_back(m);
  }
  return scans;
}

}  // namespace

Engine::Engine(const storage::SeriesStore& series, storage::SampleStore& samples, const Clock& clock, Limits limits,
               std::shared_ptr<MemoryLedger> memory, std::shared_ptr<const counter::Declared> declared)
    : series_(series),
      samples_(samples),
      clock_(clock),
      limits_(counted(limits)),
      running_(std::make_shared<RunningQueries>()),
      memory_(std::move(memory)),
      declared_(std::move(declared)) {}

bool Engine::is_small(const Request& request) const {
  constexpr std::size_t kSeriesHoursMax = 80;  // of 360 samples each: some ten microseconds
  constexpr std::size_t kMetricsMax = 80;      // each is looked for, whether it is there or not
  if (!series_.in_memory() || request.metrics.size() > kMetricsMax) return false;
  const auto tenant = series_.find_tenant(request.tenant);
  if (!tenant || !*tenant) return true;
  model::Timestamp first = request.range.first;
  for (const MetricQuery& metric : request.metrics) {
    const Pipeline pipeline = read_through(metric);
    // That of a counter reads further, which only its series can tell, and maybe of its device, too.
    if (counter_stage(pipeline) != nullptr) return false;
    first = std::min(first, read_range(pipeline, request.range).first);
  }
  const std::int64_t hours = (request.range.last - first) / model::kHourMs + 1;
  if (hours > static_cast<std::int64_t>(kSeriesHoursMax)) return false;
  // A selection that is not done in its first turn is not small: the connections of this thread wait.
  const auto not_at_once = []() -> Status { return fail(Code::limit, "the query is not small"); };
  std::size_t series_hours = 0;
  for (const MetricQuery& metric : request.metrics) {
    const auto is_exact = [](const index::Matcher& m) { return m.kind == index::Matcher::Kind::any_of; };
    const auto* const name = std::get_if<std::string>(&metric.metric);
    if (name == nullptr || metric.matchers.empty() || !std::ranges::all_of(metric.matchers, is_exact)) return false;
    const auto found =
        series_.select(**tenant, *name, metric.matchers, read_range(read_through(metric), request.range), not_at_once);
    if (!found) return found.error().code != Code::limit;  // other errors are quickly told
    series_hours += found->size() * static_cast<std::size_t>(hours);
    if (series_hours > kSeriesHoursMax) return false;
  }
  return true;
}

Result<Answer> Engine::run(const Request& request, std::atomic<bool>* cancelled) const {
  VARVE_RETURN_IF_ERROR(check_metrics(request, limits_.metrics_max));
  VARVE_ASSIGN_OR_RETURN(auto query, UnderWay::begin(*this, request, cancelled));
  VARVE_ASSIGN_OR_RETURN(auto out, query->explain(answer(request, *query, query->budget())));
  VARVE_RETURN_IF_ERROR(query->answered(count_bytes(out)));
  out.held = std::move(query);
  return out;
}

Result<Engine::Streamed> Engine::stream(const Request& request, std::shared_ptr<std::atomic<bool>> cancelled) const {
  VARVE_RETURN_IF_ERROR(check_metrics(request, limits_.metrics_max));
  VARVE_ASSIGN_OR_RETURN(auto query, UnderWay::begin(*this, request, cancelled.get()));
  VARVE_ASSIGN_OR_RETURN(auto out, query->explain(sliced_or_whole(request, *query)));
  if (out.later != nullptr) out.later->end_with(std::move(cancelled));
  // The columns of a slice, which are there twice while they grow.
  const std::size_t slices = out.later != nullptr ? out.later->bytes() + 2 * limits_.slice_bytes : 0;
  VARVE_RETURN_IF_ERROR(query->answered(count_bytes(out.answer) + slices));
  out.answer.held = std::move(query);
  return out;
}

Result<bool> Engine::Streamed::has_point(std::size_t metric, std::size_t group, std::size_t& at) {
  aggregate::Points& points = answer.metrics[metric].groups[group].points;
  if (at < points.size()) return true;
  if (later == nullptr) return false;
  at = 0;
  points = {};
  VARVE_ASSIGN_OR_RETURN(points, later->next(metric, group));
  return points.size() != 0;
}

// How many samples there are is known once some of them have been read: most answers are small.
Result<Engine::Streamed> Engine::sliced_or_whole(const Request& request, UnderWay& query) const {
  if (SlicedAnswer::fits(request) && limits_.slice_bytes < limits_.memory_bytes) {
    Budget some(limits_.slice_bytes, memory_);
    auto whole = answer(request, query, some);
    if (whole) return Streamed{std::move(*whole), nullptr};
    if (whole.error().code != Code::limit) return fail(whole.error());
    query.ticket().count().begin_again();
    VARVE_ASSIGN_OR_RETURN(auto later, SlicedAnswer::begin(*this, request, query));
    if (later != nullptr) return Streamed{later->take_groups(), std::move(later)};
  }
  query.ticket().count().begin_again();
  VARVE_ASSIGN_OR_RETURN(auto whole, answer(request, query, query.budget()));
  return Streamed{std::move(whole), nullptr};
}

Result<Answer> Engine::run(const Request& request, UnderWay& query) const {
  VARVE_RETURN_IF_ERROR(check_metrics(request, limits_.metrics_max));
  return query.explain(answer(request, query, query.budget()));
}

Result<Answer> Engine::answer(const Request& request, UnderWay& query, Budget& budget) const {
  RunningQueries::Ticket& ticket = query.ticket();
  Answer answer;
  answer.metrics.resize(request.metrics.size());
  std::deque<Pipeline> pipelines;
  for (const MetricQuery& metric : request.metrics) pipelines.push_back(read_through(metric));
  VARVE_ASSIGN_OR_RETURN(const auto tenant, series_.find_tenant(request.tenant));
  if (!tenant) {
    VARVE_RETURN_IF_ERROR(check_matchers(request));
    for (std::size_t m = 0; m < request.metrics.size(); ++m) {
      VARVE_ASSIGN_OR_RETURN(answer.metrics[m].of_nothing,
                             Collector::of_nothing(request, pipelines[m], clock_.now_ms(), budget, query.deadline()));
    }
    return answer;
  }

  const Deadline& deadline = query.deadline();
  std::deque<Plan> plans;
  std::deque<Counters> counters;
  std::deque<Collector> collectors;
  KeptValues kept(limits_.slice_bytes);
  const CounterSources sources{series_, samples_, declared_.get(), *tenant, request.tenant};
  for (std::size_t m = 0; m < request.metrics.size(); ++m) {
    const MetricQuery& metric = request.metrics[m];
    const model::TimeRange reads = read_range(pipelines[m], request.range);
    VARVE_ASSIGN_OR_RETURN(auto plan, make_plan(series_, *tenant, metric, pipelines[m], reads, deadline, budget));
    VARVE_RETURN_IF_ERROR(deadline.check());
    ticket.count().series(plan.series.size());
    const Plan& planned = plans.emplace_back(std::move(plan));
    Counters& known = counters.emplace_back();
    if (counter_stage(pipelines[m]) != nullptr) {
      VARVE_ASSIGN_OR_RETURN(known,
                             Counters::read(sources, metric, pipelines[m], planned, reads, deadline, limits_, budget));
    }
    collectors.emplace_back(request, metric, pipelines[m], planned, known, clock_.now_ms(), budget, deadline, kept);
  }
  for (auto& scan : scans_of(request, collectors)) {
    while (!scan.empty()) {
      Route route;
      for (const std::uint32_t m : scan) route.add(m, plans[m].series, collectors[m]);
      route.seal();
      const unsigned threads = threads_for(route.series().size(), limits_);
      CollectingSink sink(route, collectors, ticket);
      for (const model::TimeRange& range : collectors[scan[0]].scan_ranges()) {
        VARVE_RETURN_IF_ERROR(samples_.scan(*tenant, route.series(), deadline.options(range, threads), sink));
      }
      if (sink.over()) VARVE_RETURN_IF_ERROR(budget.charge(0));
      std::erase_if(scan, [&](std::uint32_t m) { return !collectors[m].end_scan(); });
    }
  }
  for (std::size_t m = 0; m < request.metrics.size(); ++m) {
    VARVE_ASSIGN_OR_RETURN(answer.metrics[m], collectors[m].finish());
  }
  answer.read = ticket.read();
  return answer;
}

}  // namespace varve::query
