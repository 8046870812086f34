// SPDX-License-Identifier: Apache-2.0
// Runs the parts of one job on several threads.
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "base/task_pool.h"

namespace varve {

// Calls job(i) once for each i < count, until one fails: on this thread, and on up to `helpers` idle threads of the
// pool. A call that throws has failed (guarded.h). Returns the first failure once no call is running. It never waits
// for a pool thread that has not started, so a busy pool costs parallelism but causes no delay. Thread-safe, also on a
// thread of the pool.
Status in_parallel(TaskPool& pool, std::size_t helpers, std::size_t count,
                   const std::function<Status(std::size_t)>& job);

}  // namespace varve
