// SPDX-License-Identifier: Apache-2.0
// Gate: whether a server answers more than what it always answers.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace varve::http {

// Shut while starting and stopping: then only the server's `always` routes are answered, everything else is 503.
// Thread-safe.
struct Gate {
  std::atomic<bool> open{false};

  // What is to be said beside that it is shut or open, for a person; empty: nothing.
  void say(std::string note) {
    const MutexLock lock(mutex_);
    note_ = std::move(note);
  }
  [[nodiscard]] std::string note() const {
    const MutexLock lock(mutex_);
    return note_;
  }

 private:
  mutable Mutex mutex_;
  std::string note_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::http
