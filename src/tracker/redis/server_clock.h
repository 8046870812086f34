// SPDX-License-Identifier: Apache-2.0
// ServerClock: the one time of all replicas. It is what the Redis server's clock says, and what is *added* to that
// since a server's clock went back (docs/decisions/0033): so it never goes back.
//
// Each answer brings what the server's clock said between question and answer; the closest of these counts, and one
// that is old counts as less close, as clocks drift. Between answers the local steady clock goes on, so a jump of the
// local wall clock changes nothing. An answer that would put this clock back is left out: behind() says that what is
// added is to be raised.
//
// Thread-safe. Before the first answer it is the local wall clock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"

namespace varve::tracker::redis {

// As it stands in Redis: so much was added when the server's clock said `since_us`. It becomes less by an eighth of the
// time that passes, until it is nothing.
struct AddedTime {
  static constexpr std::int64_t kSlower = 8;

  std::int64_t us = 0, since_us = 0;
  [[nodiscard]] std::int64_t at(std::int64_t server_us) const {
    return std::max<std::int64_t>(0, us - std::max<std::int64_t>(0, server_us - since_us) / kSlower);
  }
};

class ServerClock final : public Clock {
 public:
  explicit ServerClock(const Clock& local)
      : local_(local), offset_us_(local.now_ms() * 1000 - local.steady_ns() / 1000) {}

  // Times of the question and the answer by steady_ns() of the local clock.
  void observe(std::int64_t server_us, const AddedTime& added, std::int64_t sent_ns, std::int64_t received_ns) {
    const std::int64_t middle_us = (sent_ns + (received_ns - sent_ns) / 2) / 1000;
    const std::int64_t doubt_us = (received_ns - sent_ns) / 2000;
    const MutexLock lock(mutex_);
    const std::int64_t doubt_before_us = doubt_us_ + (received_ns - observed_ns_) / 1000 / kDrift;
    if (was_known_) {
      const std::int64_t latest_us = server_us + added.at(server_us) + doubt_us + doubt_before_us;
      behind_ = latest_us + kBackUs < now_us(middle_us);
      if (behind_) return;
    }
    added_ = added;
    if (known_ && doubt_us > doubt_before_us) return;
    known_ = was_known_ = true;
    doubt_us_ = doubt_us;
    observed_ns_ = received_ns;
    offset_us_ = server_us - middle_us;
  }
  // How far an answer's time is ahead of what the server's clock would have said, and of the local wall clock: of both,
  // as two clocks are less often wrong than one. At most 0 before the first answer.
  [[nodiscard]] std::int64_t ahead_us(std::int64_t server_us, std::int64_t sent_ns, std::int64_t received_ns) const {
    const std::int64_t local_us = local_.now_ms() * 1000;
    const MutexLock lock(mutex_);
    if (!was_known_) return 0;
    return server_us - std::max(local_us, (sent_ns + (received_ns - sent_ns) / 2) / 1000 + offset_us_);
  }
  // Another server may answer from now on: the next one counts.
  void forget() {
    const MutexLock lock(mutex_);
    known_ = false;
  }
  // As of the last answer.
  [[nodiscard]] bool behind() const {
    const MutexLock lock(mutex_);
    return behind_;
  }

  [[nodiscard]] std::int64_t now_us() const {
    const MutexLock lock(mutex_);
    return now_us(local_.steady_ns() / 1000);
  }
  [[nodiscard]] std::int64_t now_ms() const override { return now_us() / 1000; }
  [[nodiscard]] std::int64_t steady_ns() const override { return local_.steady_ns(); }

 private:
  static constexpr std::int64_t kDrift = 10'000;   // 100 µs a second
  static constexpr std::int64_t kBackUs = 50'000;  // clocks that are kept right go back by less

  [[nodiscard]] std::int64_t now_us(std::int64_t steady_us) const VARVE_REQUIRES(mutex_) {
    const std::int64_t server_us = steady_us + offset_us_;
    return server_us + added_.at(server_us);
  }

  const Clock& local_;
  mutable Mutex mutex_;
  std::int64_t offset_us_ VARVE_GUARDED_BY(mutex_);  // from the local steady clock to the server's wall clock
  AddedTime added_ VARVE_GUARDED_BY(mutex_);
  bool known_ VARVE_GUARDED_BY(mutex_) = false;
  bool was_known_ VARVE_GUARDED_BY(mutex_) = false;
  bool behind_ VARVE_GUARDED_BY(mutex_) = false;
  std::int64_t doubt_us_ VARVE_GUARDED_BY(mutex_) = 0;
  std::int64_t observed_ns_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::tracker::redis
