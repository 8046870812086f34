// SPDX-License-Identifier: Apache-2.0
// KairosDB's API of roll-up tasks; each path also with a slash behind it.
//   POST, GET        /api/v1/rollups                  make one, list
//   GET, PUT, DELETE /api/v1/rollups/{id}
//   GET              /api/v1/rollups/status/{id}      what its last run did
//   GET              /api/v1/rollups/backfill/{id}?startTime=yyyy-MM-dd-HH-mm-ss-SSS&endTime=
#pragma once

#include <functional>

#include "api/shared/http.h"
#include "base/clock.h"
#include "base/task_pool.h"
#include "task/task_store.h"

namespace varve::api {

// All outlive the router's server.
struct TasksContext {
  task::TaskStore& tasks;
  TaskPool& pool;
  const Clock& clock;
  std::function<void()> changed;  // a task was made, changed or erased; may be empty
};

inline constexpr std::size_t kTasksMax = 1000;  // of a tenant

void add_rollup_tasks(Router& router, const TasksContext& context);

}  // namespace varve::api
