// SPDX-License-Identifier: Apache-2.0
// Worker: a thread that calls a function until it reports that nothing is left to do, and again when it is woken, or
// after a second.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>
#include <thread>

#include "base/check.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread_priority.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class Worker {
 public:
  using Work = std::function<bool()>;   // false: there is nothing to do now, or it failed
  enum class Priority { normal, low };  // low: thread_priority.h

  ~Worker() { stop(); }
  // To be called once. `failed`: a literal, the log message if `work` throws.
  void start(std::string_view failed, Work work, Priority priority = Priority::normal) {
    check(!thread_.joinable(), "a worker is started once");
    thread_ = std::thread([this, failed, priority, work = std::move(work)] {
      if (priority == Priority::low) lower_thread_priority();
      run(failed, work);
    });
  }
  void wake() {
    {
      const MutexLock lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }
  // Waits for the running call.
  void stop() {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr auto kLookEvery = std::chrono::seconds(1);

  void run(std::string_view failed, const Work& work) {
    bool more = true;
    while (true) {
      {
        const MutexLock lock(mutex_);
        const auto until = std::chrono::steady_clock::now() + kLookEvery;
        while (!more && !stopping_ && !woken_) {
          if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) break;
        }
        if (stopping_) return;
        woken_ = false;
      }
      const auto worked = guarded([&]() -> Result<bool> { return work(); });
      if (!worked) log::error(failed, {{"error", worked.error().message}});
      more = worked.value_or(false);
    }
  }

  Mutex mutex_;
  Condition changed_;
  bool stopping_ VARVE_GUARDED_BY(mutex_) = false;
  bool woken_ VARVE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace varve::engine::rocksdb
