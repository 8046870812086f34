// SPDX-License-Identifier: Apache-2.0
// Worker: a thread that does pieces of work as long as there are any, and then looks again when it is woken, or after a
// second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/guarded.h"
#include "base/log.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class Worker {
 public:
  using Work = std::function<bool()>;  // false: nothing to do now, or it failed

  ~Worker() { stop(); }
  // Once. `failed` is what the log says of a piece that threw: a literal.
  void start(std::string_view failed, Work work) {
    thread_ = std::thread([this, failed, work = std::move(work)] { run(failed, work); });
  }
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }
  // Waits for the piece under way.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
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
        std::unique_lock lock(mutex_);
        if (!more) changed_.wait_for(lock, kLookEvery, [this] { return stopping_ || woken_; });
        if (stopping_) return;
        woken_ = false;
      }
      const auto worked = guarded([&]() -> Result<bool> { return work(); });
      if (!worked) log::error(failed, {{"error", worked.error().message}});
      more = worked.value_or(false);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool woken_ = false;
  std::thread thread_;
};

}  // namespace varve::engine::rocksdb
