// SPDX-License-Identifier: Apache-2.0
// State: what the runs of a task have done. Kept as JSON, and shown as KairosDB's status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "task/task.h"

namespace varve::task {

struct MetricState {
  std::string metric;
  std::optional<model::Timestamp> saved_until;
  model::Timestamp at_ms = 0;  // when it was run
  std::uint64_t points = 0;    // that were saved then
  std::int64_t took_ms = 0;
  std::string error;  // empty: none
};

struct State {
  std::string of;  // which version of the task; what another one did is of no use
  std::string host;
  model::Timestamp begun_ms = 0;     // the last run; 0: none yet
  bool finished = true;              // false: the run is to be gone on with
  std::vector<MetricState> metrics;  // those of all rollups, one after the other
};

// Tells versions of a task apart.
std::string version_of(const Task& task);

std::string to_json(const State& state);
// Errors: corrupt.
Result<State> state_of(std::string_view json);

// Forgets what was done after `now_ms`, when the clock was ahead.
void go_back(State& state, model::Timestamp now_ms);

// When it is to be run next.
model::Timestamp due_ms(const Task& task, const State& state);

// {"nextScheduled":…,"executingHost":…,"statuses":[{"metricName":…}]}
std::string status_json(const Task& task, const State& state);

}  // namespace varve::task
