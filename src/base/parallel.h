// SPDX-License-Identifier: Apache-2.0
// One piece of work in parts, on several threads.
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "base/task_pool.h"

namespace varve {

// Calls job(i) once for each i < count, until one fails: on this thread, and on up to `helpers` threads of the pool
// that have nothing else to do meanwhile. A call that throws has failed (guarded.h). Returns the first failure when no
// call is under way any more. It never waits for a thread that has not begun, so a busy pool makes it slower but not
// late. Thread-safe, also on a thread of the pool.
Status in_parallel(TaskPool& pool, std::size_t helpers, std::size_t count,
                   const std::function<Status(std::size_t)>& job);

}  // namespace varve
