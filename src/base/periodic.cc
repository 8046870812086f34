// SPDX-License-Identifier: Apache-2.0
#include "base/periodic.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/guarded.h"

namespace varve {

Periodic::Periodic(std::chrono::milliseconds pause, Step step)
    : thread_([pause, step = std::move(step)](const std::stop_token& stopping) {
        std::mutex mutex;
        std::condition_variable_any wake;
        while (!stopping.stop_requested()) {
          log_failure("a periodic step failed", guarded([&] { step(stopping); }));
          std::unique_lock lock(mutex);
          wake.wait_for(lock, stopping, pause, [] { return false; });
        }
      }) {}

}  // namespace varve
