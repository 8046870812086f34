// SPDX-License-Identifier: Apache-2.0
// Runner: runs the tasks that are due, of the partitions that this replica owns. One that is run by two at once, while
// a lease goes over, is no harm: both write the same points.
//
// turn() is for one thread, again and again, about once a second; changed() for any.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "query/engine.h"
#include "task/plan.h"
#include "task/task_store.h"
#include "tracker/ownership.h"
#include "write/writer.h"

namespace varve::task {

struct RunnerOptions {
  std::uint32_t partitions = 64;  // of the tracker: they share out tasks, too
  std::string replica = "local";  // its name, for people
};

class Runner {
 public:
  static constexpr std::int64_t kReadAgainMs = 10'000;     // other replicas may change tasks
  static constexpr std::int64_t kTurnNs = 10'000'000'000;  // of one task; then the others have theirs
  static constexpr std::int64_t kWindowsFirst = 512;       // in one query; then as many as its limits let it have
  static constexpr std::int64_t kWindowsMax = 1 << 24;

  // All outlive it.
  struct Parts {
    TaskStore& tasks;
    const query::Engine& engine;
    write::Writer& writer;
    tracker::Ownership& ownership;
    const Clock& clock;
    Metrics& metrics;
  };
  Runner(RunnerOptions options, const Parts& parts);

  // Ends the query under way, and those that follow. Thread-safe.
  void stop();

  // A task was made, changed or erased here: the next turn reads all again.
  void changed() { changed_ = true; }

  // Blocking; `may_go_on` is asked between steps. Errors: those of the store of tasks.
  Status turn(const std::function<bool()>& may_go_on);

 private:
  using MayGoOn = std::function<bool()>;
  struct Known {
    std::optional<Task> task;  // nullopt: it cannot be read
    State state;
    model::Timestamp due_ms = 0;
  };
  // Where in a task a metric of a query stands.
  struct Place {
    const Rollup* rollup;
    std::size_t metric;  // in its query
  };
  static std::vector<Place> places_of(const Task& task);

  Result<query::Answer> ask(const query::Request& request);
  [[nodiscard]] bool is_ours(const TaskName& name) const;
  Status read_all(const std::vector<TaskName>& names);
  Status read(const TaskName& name);
  Status run(const TaskName& name, Known& known, const MayGoOn& may_go_on);
  // Its state, unless somebody has changed or erased the task meanwhile: then false.
  Result<bool> keep(const TaskName& name, const Known& known);
  Status run_backfills(const MayGoOn& may_go_on);
  Status run_backfill(const TaskName& name, Backfill& backfill, const MayGoOn& may_go_on);

  // One metric's next windows. False: nothing (more) to do.
  Result<bool> step(const TaskName& name, const Place& place, MetricState& state, model::TimeRange asked, bool again);
  Result<model::TimeRange> asked_range(const TaskName& name, const Rollup& rollup) const;
  Result<std::uint64_t> save(const TaskName& name, const Place& place, const Step& step);

  const RunnerOptions options_;
  TaskStore& tasks_;
  const query::Engine& engine_;
  write::Writer& writer_;
  tracker::Ownership& ownership_;
  const Clock& clock_;
  Counter& runs_;
  Counter& failures_;
  Counter& points_;

  Mutex query_mutex_;
  std::atomic<bool>* query_ VARVE_GUARDED_BY(query_mutex_) = nullptr;  // ends the query under way
  bool stopped_ VARVE_GUARDED_BY(query_mutex_) = false;

  std::atomic<bool> changed_ = true;
  std::int64_t read_ms_ = 0;
  std::vector<std::uint32_t> ours_;  // partitions, ascending
  std::map<TaskName, Known> known_;
  std::int64_t windows_max_ = kWindowsFirst;
};

}  // namespace varve::task
