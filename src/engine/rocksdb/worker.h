// SPDX-License-Identifier: Apache-2.0
// Worker: a thread that does pieces of work as long as there are any, and then looks again when it is woken, or after a
// second.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>
#include <thread>

#include "base/check.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class Worker {
 public:
  using Work = std::function<bool()>;  // false: nothing to do now, or it failed

  ~Worker() { stop(); }
  // Once. `failed` is what the log says of a piece that threw: a literal.
  void start(std::string_view failed, Work work) {
    check(!thread_.joinable(), "a worker is started once");
    thread_ = std::thread([this, failed, work = std::move(work)] { run(failed, work); });
  }
  void wake() {
    {
      const MutexLock lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }
  // Waits for the piece under way.
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
