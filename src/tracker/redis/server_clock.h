// SPDX-License-Identifier: Apache-2.0
// ServerClock: the time of the Redis server, which is the one time of all replicas. Each answer brings what the
// server's clock said between question and answer; the closest of these counts, and one that is old counts as less
// close, as clocks drift. Between answers the local steady clock goes on, so a jump of the local wall clock changes
// nothing.
//
// Thread-safe. Before the first answer it is the local wall clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/clock.h"

namespace varve::tracker::redis {

class ServerClock final : public Clock {
 public:
  explicit ServerClock(const Clock& local)
      : local_(local), offset_us_(local.now_ms() * 1000 - local.steady_ns() / 1000) {}

  // Times of the question and the answer by steady_ns() of the local clock.
  void observe(std::int64_t server_us, std::int64_t sent_ns, std::int64_t received_ns) {
    const std::int64_t doubt_us = (received_ns - sent_ns) / 2000;
    const std::lock_guard lock(mutex_);
    const std::int64_t age_us = (received_ns - observed_ns_) / 1000;
    if (known_ && doubt_us > doubt_us_ + age_us / kDrift) return;
    known_ = true;
    doubt_us_ = doubt_us;
    observed_ns_ = received_ns;
    offset_us_ = server_us - (sent_ns + (received_ns - sent_ns) / 2) / 1000;
  }
  // Another server may answer from now on: the next one counts.
  void forget() {
    const std::lock_guard lock(mutex_);
    known_ = false;
  }

  [[nodiscard]] std::int64_t now_ms() const override { return (local_.steady_ns() / 1000 + offset_us_) / 1000; }
  [[nodiscard]] std::int64_t steady_ns() const override { return local_.steady_ns(); }

 private:
  static constexpr std::int64_t kDrift = 10'000;  // 100 µs a second

  const Clock& local_;
  std::mutex mutex_;
  std::atomic<std::int64_t> offset_us_;  // from the local steady clock to the server's wall clock
  bool known_ = false;
  std::int64_t doubt_us_ = 0;
  std::int64_t observed_ns_ = 0;
};

}  // namespace varve::tracker::redis
