// SPDX-License-Identifier: Apache-2.0
#include "query/engine.h"

#include <algorithm>
#include <deque>
#include <map>
#include <thread>

#include "model/time.h"
#include "query/collector.h"
#include "query/counters.h"
#include "query/deadline.h"
#include "query/plan.h"
#include "query/seen.h"
#include "query/sliced_answer.h"
#include "query/under_way.h"

namespace varve::query {

namespace {

// Series of one scan, ascending: neighbours by id are neighbours on disk, and one host's metrics lie together.
class Route {
 public:
  struct Stop {
    model::SeriesId series;
    std::uint32_t metric;    // position in the request
    std::uint32_t position;  // in that metric's plan
  };

  // Those of the series that the collector wants.
  void add(std::uint32_t metric, std::span<const model::SeriesId> series, const Collector& collector) {
    for (std::uint32_t i = 0; i < series.size(); ++i) {
      if (collector.wants(i)) stops_.push_back({series[i], metric, i});
    }
  }
  void seal() {
    std::ranges::sort(stops_, {}, [](const Stop& s) { return model::to_int(s.series); });
    for (const Stop& s : stops_) ids_.push_back(s.series);
  }
  [[nodiscard]] std::span<const model::SeriesId> series() const { return ids_; }
  [[nodiscard]] const Stop& operator[](std::size_t position) const { return stops_[position]; }

 private:
  std::vector<Stop> stops_;
  std::vector<model::SeriesId> ids_;
};

class CollectingSink final : public storage::PieceSink {
 public:
  CollectingSink(const Route& route, std::deque<Collector>& collectors, RunningQueries::Ticket& ticket)
      : route_(route), collectors_(collectors), ticket_(ticket) {}

  bool takes_stats(const storage::ChunkStats& stats) override {
    const Route::Stop& stop = route_[stats.series];
    return collectors_[stop.metric].takes_stats(stop.position, stats);
  }
  bool takes_windows(std::size_t series, model::TimeRange range, std::int64_t width_ms) override {
    const Route::Stop& stop = route_[series];
    return collectors_[stop.metric].takes_windows(stop.position, range, width_ms);
  }
  [[nodiscard]] storage::WindowFields window_fields(std::size_t series) const override {
    const Route::Stop& stop = route_[series];
    return collectors_[stop.metric].window_fields(stop.position);
  }
  void stats(const storage::ChunkStats& stats) override {
    const Route::Stop& stop = route_[stats.series];
    ticket_.count().chunk();
    note(collectors_[stop.metric].stats(stop.position, stats));
  }
  void window_columns(const storage::WindowColumns& windows) override {
    const Route::Stop& stop = route_[windows.series];
    ticket_.count().windows(windows.width_ms, windows.size());
    note(collectors_[stop.metric].windows(stop.position, windows));
  }
  Status histogram_columns(const storage::HistogramColumns& windows) override {
    const Route::Stop& stop = route_[windows.series];
    ticket_.count().windows(windows.width_ms, windows.size());
    return collectors_[stop.metric].histograms(stop.position, windows);
  }
  bool takes_counter(std::size_t series, const counter::Stretch& window) override {
    const Route::Stop& stop = route_[series];
    return collectors_[stop.metric].takes_counter(stop.position, window);
  }
  Status counter_columns(const storage::CounterColumns& windows) override {
    const Route::Stop& stop = route_[windows.series];
    ticket_.count().windows(windows.width_ms, windows.stretches.size());
    return collectors_[stop.metric].counters(stop.position, windows);
  }
  Status piece(const storage::Piece& piece) override {
    const Route::Stop& stop = route_[piece.series];
    ticket_.count().samples(piece.size());
    return collectors_[stop.metric].piece(stop.position, piece);
  }
  // A call was over budget that has no way to say so itself.
  [[nodiscard]] bool over() const { return over_; }

 private:
  void note(const Status& status) {
    if (!status) over_ = true;
  }

  const Route& route_;
  std::deque<Collector>& collectors_;
  RunningQueries::Ticket& ticket_;
  std::atomic<bool> over_{false};
};

// With the number of threads that 0 stands for, which the system reads from a file each time.
Limits counted(Limits limits) {
  if (limits.threads == 0) limits.threads = std::max(1U, std::thread::hardware_concurrency());
  return limits;
}

// A question is as wrong where there is nothing to ask.
Status check_matchers(const Request& request) {
  for (const MetricQuery& metric : request.metrics) {
    if (const auto* names = std::get_if<index::Matchers>(&metric.metric)) {
      VARVE_RETURN_IF_ERROR(index::check_matchers(*names));
    }
    VARVE_RETURN_IF_ERROR(index::check_matchers(metric.matchers));
  }
  return {};
}

Status check_metrics(const Request& request, std::size_t most) {
  if (request.metrics.size() <= most) return {};
  return fail(Code::invalid, "the query has " + std::to_string(request.metrics.size()) +
                                 " metrics; query.metrics_max is " + std::to_string(most));
}

// With the text that is made of them.
std::size_t bytes_with_text(const TagUnion& tags) {
  std::size_t bytes = 0;
  for (const auto& [key, values] : tags) {
    bytes += sizeof values + 2 * (key.size() + sizeof key);
    for (const std::string& value : values) bytes += 2 * (value.size() + sizeof value);
  }
  return bytes;
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
  std::size_t series_hours = 0;
  for (const MetricQuery& metric : request.metrics) {
    const auto is_exact = [](const index::Matcher& m) { return m.kind == index::Matcher::Kind::any_of; };
    const auto* const name = std::get_if<std::string>(&metric.metric);
    if (name == nullptr || metric.matchers.empty() || !std::ranges::all_of(metric.matchers, is_exact)) return false;
    const auto found =
        series_.select(**tenant, *name, metric.matchers, read_range(read_through(metric), request.range));
    if (!found) return true;  // an error is quickly told
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

Result<Engine::Streamed> Engine::stream(const Request& request, std::atomic<bool>* cancelled) const {
  VARVE_RETURN_IF_ERROR(check_metrics(request, limits_.metrics_max));
  VARVE_ASSIGN_OR_RETURN(auto query, UnderWay::begin(*this, request, cancelled));
  VARVE_ASSIGN_OR_RETURN(auto out, query->explain(sliced_or_whole(request, *query)));
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
    VARVE_ASSIGN_OR_RETURN(auto later, SlicedAnswer::begin(*this, request, query));
    if (later != nullptr) return Streamed{later->take_groups(), std::move(later)};
  }
  VARVE_ASSIGN_OR_RETURN(auto whole, answer(request, query, query.budget()));
  return Streamed{std::move(whole), nullptr};
}

Result<Answer> Engine::run(const Request& request, UnderWay& query) const {
  VARVE_RETURN_IF_ERROR(check_metrics(request, limits_.metrics_max));
  return query.explain(answer(request, query, query.budget()));
}

Result<Engine::Tags> Engine::tags(const Request& request, std::atomic<bool>* cancelled) const {
  VARVE_RETURN_IF_ERROR(check_metrics(request, limits_.metrics_max));
  VARVE_ASSIGN_OR_RETURN(auto query, UnderWay::begin(*this, request, cancelled));
  VARVE_ASSIGN_OR_RETURN(auto tags, query->explain(seen_tags(request, *query)));
  return Tags{std::move(tags), std::move(query)};
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
                             Collector::of_nothing(request, pipelines[m], clock_.now_ms(), budget));
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
    collectors.emplace_back(request, metric, pipelines[m], planned, known, clock_.now_ms(), budget, kept);
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
    VARVE_ASSIGN_OR_RETURN(answer.metrics[m], collectors[m].finish([&] { return deadline.check(); }));
  }
  answer.read = ticket.read();
  return answer;
}

Result<std::vector<TagUnion>> Engine::seen_tags(const Request& request, UnderWay& under_way) const {
  std::vector<TagUnion> out(request.metrics.size());
  VARVE_ASSIGN_OR_RETURN(const auto tenant, series_.find_tenant(request.tenant));
  if (!tenant) {
    VARVE_RETURN_IF_ERROR(check_matchers(request));
    return out;
  }
  const Deadline& deadline = under_way.deadline();
  // Every series has a sample somewhere, and this is how user interfaces ask what tags there are.
  const bool whole_time = request.range.first <= 0 && request.range.last > clock_.now_ms();
  for (std::size_t m = 0; m < request.metrics.size(); ++m) {
    MetricQuery query;
    query.metric = request.metrics[m].metric;
    query.matchers = request.metrics[m].matchers;
    const model::TimeRange seen_in = whole_time ? model::TimeRange() : request.range;
    VARVE_ASSIGN_OR_RETURN(const Plan plan,
                           make_plan(series_, *tenant, query, query.pipeline(), seen_in, deadline, under_way.budget()));
    VARVE_RETURN_IF_ERROR(deadline.check());
    if (whole_time) {
      out[m] = plan.tags.merged(plan.groups.empty() ? std::span<const std::uint32_t>() : plan.groups[0].members);
      VARVE_RETURN_IF_ERROR(under_way.budget().charge(bytes_with_text(out[m])));
      continue;
    }
    under_way.ticket().count().series(plan.series.size());
    std::vector<std::uint32_t> seen;
    const auto add = [&](std::size_t i, const storage::SeriesStats&) { seen.push_back(static_cast<std::uint32_t>(i)); };
    VARVE_RETURN_IF_ERROR(for_each_seen(series_, *tenant, plan.series, request.range, deadline, add));
    out[m] = plan.tags.merged(seen);
    VARVE_RETURN_IF_ERROR(under_way.budget().charge(bytes_with_text(out[m])));
  }
  return out;
}

}  // namespace varve::query
