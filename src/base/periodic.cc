// SPDX-License-Identifier: Apache-2.0
#include "base/periodic.h"

#include <utility>

#include "base/guarded.h"
#include "base/mutex.h"

namespace varve {

Periodic::Periodic(std::chrono::milliseconds pause, Step step)
    : thread_([pause, step = std::move(step)](const std::stop_token& stopping) {
        Mutex mutex;
        Condition wake;
        const std::stop_callback on_stop(stopping, [&] {
          const MutexLock lock(mutex);  // not between the other thread's look and its waiting
          wake.notify_all();
        });
        while (!stopping.stop_requested()) {
          log_failure("a periodic step failed", guarded([&] { step(stopping); }));
          const auto until = std::chrono::steady_clock::now() + pause;
          const MutexLock lock(mutex);
          while (!stopping.stop_requested() && wake.wait_until(mutex, until) == std::cv_status::no_timeout) {
          }
        }
      }) {}

}  // namespace varve
