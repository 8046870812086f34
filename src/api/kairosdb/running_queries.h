// SPDX-License-Identifier: Apache-2.0
// What runs now, and an end to it, in the shapes of KairosDB 1.3.
//   GET        /api/v1/admin/runningqueries
//   GET|DELETE /api/v1/admin/killquery/{id}
//   GET        /api/v1/datapoints/index       nothing to do: the index is never behind
#pragma once

#include "api/shared/http.h"
#include "base/task_pool.h"
#include "query/engine.h"

namespace varve::api {

// A tenant sees and ends its own queries only. Answered on the thread that asks: where all of the pool's threads are in
// long queries, these two have to work. `pool` is asked how many queries wait.
void add_admin_queries(Router& router, query::Engine& engine, const TaskPool& pool);

}  // namespace varve::api
