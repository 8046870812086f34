// SPDX-License-Identifier: Apache-2.0
#include "task/runner.h"

#include <algorithm>

#include "base/log.h"
#include "language/kairosdb/save.h"
#include "language/kairosdb/to_request.h"
#include "tracker/partition.h"

namespace varve::task {
namespace {

Counter& counter(Metrics& metrics, std::string_view name, std::string_view help) { return metrics.counter(name, help); }

}  // namespace

Runner::Runner(RunnerOptions options, const Parts& parts)
    : options_(std::move(options)),
      tasks_(parts.tasks),
      engine_(parts.engine),
      writer_(parts.writer),
      ownership_(parts.ownership),
      clock_(parts.clock),
      runs_(
          counter(parts.metrics, "varve_rollup_task_runs_total", "Runs of roll-up tasks that this process has ended.")),
      failures_(counter(parts.metrics, "varve_rollup_task_failures_total", "Metrics of roll-up tasks that failed.")),
      points_(counter(parts.metrics, "varve_rollup_task_points_total", "Points that roll-up tasks have saved.")) {}

bool Runner::is_ours(const TaskName& name) const {
  return std::ranges::binary_search(ours_, tracker::partition_of(name.tenant, name.id, options_.partitions));
}

std::vector<Runner::Place> Runner::places_of(const Task& task) {
  std::vector<Place> out;
  for (const Rollup& rollup : task.rollups) {
    for (std::size_t i = 0; i < rollup.metrics.size(); ++i) out.push_back({&rollup, i});
  }
  return out;
}

Status Runner::turn(const MayGoOn& may_go_on) {
  ownership_.heartbeat();  // who else does depends on the engine
  auto ours = ownership_.partitions();
  if (ours != ours_) changed_ = true;
  ours_ = std::move(ours);
  if (ours_.empty()) {
    known_.clear();
    return {};
  }
  const std::int64_t now = clock_.now_ms();
  if (changed_.exchange(false) || now - read_ms_ >= kReadAgainMs || now < read_ms_) {
    read_ms_ = now;
    const auto names = tasks_.all();
    const Status read = names ? read_all(*names) : Status(std::unexpected(names.error()));
    if (!read) {
      changed_ = true;
      return read;
    }
  }
  for (auto& [name, known] : known_) {
    if (!may_go_on()) return {};
    if (!known.task || known.due_ms > clock_.now_ms()) continue;
    VARVE_RETURN_IF_ERROR(read(name));  // another replica may have changed it, or have run it
    if (!known.task || known.due_ms > clock_.now_ms()) continue;
    VARVE_RETURN_IF_ERROR(run(name, known, may_go_on));
  }
  return run_backfills(may_go_on);
}

Status Runner::read_all(const std::vector<TaskName>& names) {
  std::erase_if(known_, [&](const auto& known) { return !std::ranges::binary_search(names, known.first); });
  for (const TaskName& name : names) {
    if (is_ours(name)) {
      VARVE_RETURN_IF_ERROR(read(name));
    } else {
      known_.erase(name);
    }
  }
  return {};
}

Status Runner::read(const TaskName& name) {
  VARVE_ASSIGN_OR_RETURN(const auto json, tasks_.json(name));
  Known& known = known_[name];
  known.task.reset();
  if (!json) return {};
  auto task = parse_task(*json, name.id, [](std::string_view) { return Status(); });
  if (!task) {
    log::warn("a roll-up task cannot be read", {{"task", name.id}, {"error", task.error().front()}});
    return {};
  }
  VARVE_ASSIGN_OR_RETURN(auto state, tasks_.state(name));
  known.state = {};
  known.state.of = version_of(*task);
  if (state && state->of == known.state.of) known.state = std::move(*state);
  go_back(known.state, clock_.now_ms());
  known.due_ms = due_ms(*task, known.state);
  known.task = std::move(*task);
  return {};
}

Status Runner::run(const TaskName& name, Known& known, const MayGoOn& may_go_on) {
  State& state = known.state;
  const auto places = places_of(*known.task);
  const bool goes_on = !state.finished;
  const std::int64_t until_ns = clock_.steady_ns() + kTurnNs;
  if (!goes_on) state.begun_ms = std::max<std::int64_t>(clock_.now_ms(), 1);
  state.host = options_.replica;
  state.finished = false;
  state.metrics.resize(places.size());
  bool in_time = true;
  for (std::size_t i = 0; i < places.size() && in_time; ++i) {
    MetricState& metric = state.metrics[i];
    metric.metric = places[i].rollup->metrics[places[i].metric].metric;
    const std::int64_t began_ns = clock_.steady_ns();
    if (!goes_on) metric.points = 0;
    metric.error.clear();
    bool again = !goes_on;
    for (bool more = true; more; again = false) {
      in_time = may_go_on() && clock_.steady_ns() < until_ns;
      if (!in_time) break;
      const auto asked = asked_range(name, *places[i].rollup);
      const auto done = asked ? step(name, places[i], metric, *asked, again) : Result<bool>(fail(asked.error()));
      if (!done) {
        metric.error = done.error().message;
        failures_.add();
        log::warn("a roll-up task failed",
                  {{"tenant", name.tenant}, {"task", known.task->name}, {"error", metric.error}});
      }
      more = done && *done;
      metric.at_ms = std::max<std::int64_t>(clock_.now_ms(), 1);
      metric.took_ms = (clock_.steady_ns() - began_ns) / 1'000'000;
      if (!more) continue;
      VARVE_ASSIGN_OR_RETURN(const bool stands, keep(name, known));
      if (!stands) return {};
    }
  }
  state.finished = in_time;
  if (in_time) runs_.add();
  known.due_ms = due_ms(*known.task, state);
  VARVE_RETURN_IF_ERROR(keep(name, known));
  return {};
}

Result<bool> Runner::keep(const TaskName& name, const Known& known) {
  VARVE_ASSIGN_OR_RETURN(const auto json, tasks_.json(name));
  if (json && *json == known.task->json) {
    VARVE_RETURN_IF_ERROR(tasks_.put_state(name, known.state));
    return true;
  }
  changed_ = true;
  return false;
}

Result<model::TimeRange> Runner::asked_range(const TaskName& name, const Rollup& rollup) const {
  VARVE_ASSIGN_OR_RETURN(const auto request,
                         language::kairosdb::to_request(rollup.query, name.tenant, clock_.now_ms()));
  return request.range;
}

Result<bool> Runner::step(const TaskName& name, const Place& place, MetricState& state, model::TimeRange asked,
                          bool again) {
  const MetricPlan& plan = place.rollup->metrics[place.metric];
  for (;;) {
    const auto next =
        next_step(plan, place.rollup->time_zone, asked, state.saved_until, again, clock_.now_ms(), windows_max_);
    if (!next) return false;
    const auto saved = save(name, place, *next);
    const bool too_much = !saved && (saved.error().code == Code::limit || saved.error().code == Code::timeout);
    if (too_much && windows_max_ > 1) {
      windows_max_ /= 2;
      continue;
    }
    if (!saved) return fail(saved.error());
    state.saved_until = next->until;
    state.points += *saved;
    points_.add(*saved);
    windows_max_ = std::min(kWindowsMax, windows_max_ * 2);
    return !next->last;
  }
}

Result<std::uint64_t> Runner::save(const TaskName& name, const Place& place, const Step& step) {
  VARVE_ASSIGN_OR_RETURN(auto request,
                         language::kairosdb::to_request(place.rollup->query, name.tenant, clock_.now_ms()));
  request.range = step.read;
  query::MetricQuery metric = std::move(request.metrics[place.metric]);
  request.metrics.clear();
  request.metrics.push_back(std::move(metric));
  request.api = "rollup";
  request.text = place.rollup->query;
  request.save = language::kairosdb::saver(writer_, name.tenant);
  VARVE_ASSIGN_OR_RETURN(const auto answer, ask(request));
  std::uint64_t saved = 0;
  for (const query::Group& group : answer.metrics[0].groups) {
    const auto tags = language::kairosdb::saved_tags({}, query::text_of(request.metrics[0].metric),
                                                     request.metrics[0].pipeline().keys(), group.tags);
    VARVE_ASSIGN_OR_RETURN(const std::uint64_t count,
                           language::kairosdb::save_points(writer_, name.tenant, place.rollup->save_as, tags,
                                                           group.points, {step.save_from, model::kTimestampMax + 1}));
    saved += count;
  }
  return saved;
}

void Runner::stop() {
  const MutexLock lock(query_mutex_);
  stopped_ = true;
  if (query_ != nullptr) *query_ = true;
}

// Who stops or kills a query does not want it in smaller pieces either.
Result<query::Answer> Runner::ask(const query::Request& request) {
  std::atomic<bool> cancelled = false;
  {
    const MutexLock lock(query_mutex_);
    if (stopped_) return fail(Code::cancelled, "stopping");
    query_ = &cancelled;
  }
  auto answer = engine_.run(request, &cancelled);
  const MutexLock lock(query_mutex_);
  query_ = nullptr;
  if (!answer && cancelled) return fail(Code::cancelled, answer.error().message);
  return answer;
}

Status Runner::run_backfills(const MayGoOn& may_go_on) {
  VARVE_ASSIGN_OR_RETURN(const auto names, tasks_.backfills());
  for (const TaskName& name : names) {
    if (!is_ours(name) || !may_go_on()) continue;
    VARVE_ASSIGN_OR_RETURN(auto backfill, tasks_.backfill(name));
    if (backfill) VARVE_RETURN_IF_ERROR(run_backfill(name, *backfill, may_go_on));
  }
  return {};
}

// A step that fails is left out, so that one bad stretch does not stand in the way for ever.
Status Runner::run_backfill(const TaskName& name, Backfill& backfill, const MayGoOn& may_go_on) {
  const auto known = known_.find(name);
  if (known == known_.end() || !known->second.task) return tasks_.erase_backfill(name);
  const auto places = places_of(*known->second.task);
  const std::int64_t until_ns = clock_.steady_ns() + kTurnNs;
  for (; backfill.metric < places.size(); ++backfill.metric, backfill.saved_until.reset()) {
    MetricState state;
    state.saved_until = backfill.saved_until;
    for (bool more = true; more;) {
      if (!may_go_on() || clock_.steady_ns() > until_ns) return tasks_.put_backfill(name, backfill);
      const auto done = step(name, places[backfill.metric], state, backfill.range, false);
      if (!done) {
        failures_.add();
        log::warn("a backfill of a roll-up task failed", {{"tenant", name.tenant}, {"error", done.error().message}});
      }
      backfill.saved_until = state.saved_until;
      more = done && *done;
    }
  }
  return tasks_.erase_backfill(name);
}

}  // namespace varve::task
