// SPDX-License-Identifier: Apache-2.0
// Internal to net/: one thread, its event loop and the streams on it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "net/stream.h"

namespace varve::net {

// The number of connections of a listener, over all loops; stop() waits until it is 0.
class LiveCount {
 public:
  std::size_t add();
  void remove();
  bool wait_none(std::chrono::milliseconds deadline);
  [[nodiscard]] std::size_t value() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> count_{0};
  Mutex mutex_;
  Condition none_;
};

class Loop : public std::enable_shared_from_this<Loop> {
 public:
  // `bulk`: loops that streams may move to, round robin; they live as long as this one, and have none themselves.
  Loop(LiveCount& live, std::chrono::milliseconds tick, std::vector<std::shared_ptr<Loop>> bulk = {},
       std::size_t first_bulk = 0);
  ~Loop();

  enum class Priority { normal, low };
  void start(Priority priority);
  // Runs fn on the loop's thread, later. False if the loop has ended.
  bool post(std::function<void()> fn);
  void drain();  // any thread
  void join();   // closes every stream, takes no more posts, ends when nothing is left

  void adopt(std::shared_ptr<Stream> stream);  // loop thread; its socket is set
  void forget(const std::shared_ptr<Stream>& stream);
  bool move_to_bulk(const std::shared_ptr<Stream>& stream);
  [[nodiscard]] bool is_current() const;
  [[nodiscard]] std::int64_t now_ms() const { return now_ms_; }
  [[nodiscard]] LiveCount& live() { return *live_; }

  struct Asio;
  [[nodiscard]] Asio& asio() { return *asio_; }

 private:
  void settle_in(const std::shared_ptr<Stream>& stream, int socket, bool is_v6);  // one that comes from another loop
  void run();
  void schedule_tick();
  void tick();
  void each(void (*what)(Stream&));

  LiveCount* live_;
  const std::chrono::milliseconds tick_;
  const std::vector<std::shared_ptr<Loop>> bulk_;
  std::unique_ptr<Asio> asio_;
  Mutex post_mutex_;  // makes "has ended" and "was posted" one step
  bool ended_ VARVE_GUARDED_BY(post_mutex_) = false;
  // Loop thread only:
  std::unordered_set<std::shared_ptr<Stream>> streams_;
  bool draining_ = false;
  bool closing_ = false;
  bool tick_scheduled_ = false;
  std::int64_t now_ms_ = 0;
  std::size_t next_bulk_;
  std::thread thread_;
};

}  // namespace varve::net
