// SPDX-License-Identifier: Apache-2.0
// ExpiryClock: the time by which data expire. What is deleted because its time is over does not come back when the
// clock turns out to have been wrong, so this clock does not follow the wall clock everywhere:
//
// - back it goes at once: nothing is deleted too early then;
// - ahead it goes as the steady clock does. A wall clock that jumps ahead is believed when it has been steady for an
//   hour, or when an operator says so. Until then this clock goes on as if nothing had happened.
//
// Over a restart the steady clock says nothing. There a wall clock is believed that is ahead by no more than a day of
// what was stored before; a machine that has been off for longer waits that hour, too.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"

namespace varve::engine::shared {

// Thread-safe. The steady clock is that of `clock`.
class ExpiryClock final : public Clock {
 public:
  static constexpr std::int64_t kBelievedAfterMs = 3'600'000;
  static constexpr std::int64_t kToleranceMs = 60'000;  // by which clocks that are set right all the time may jump
  static constexpr std::int64_t kOffMs = 86'400'000;    // for so long, and no longer, a machine is believed to be off

  explicit ExpiryClock(const Clock& clock);
  // To be called before threads look at it. `stored_ms`: what stored_ms() said before the start, if anything.
  void start(std::optional<std::int64_t> stored_ms);

  [[nodiscard]] std::int64_t now_ms() const override;
  [[nodiscard]] std::int64_t steady_ns() const override { return clock_.steady_ns(); }

  // Looks whether the wall clock has jumped, and says so in the log; to be called about once a second.
  void observe();
  // Believes the wall clock as it is now.
  void trust();

  // How far the wall clock is ahead of this one; 0: as it should be.
  [[nodiscard]] std::int64_t held_ms() const { return std::max<std::int64_t>(0, clock_.now_ms() - now_ms()); }
  [[nodiscard]] std::uint64_t jumps() const { return jumps_; }  // ahead, since the start
  // To be stored for the next start.
  [[nodiscard]] std::int64_t stored_ms() const { return steady_ms() + believed_; }

 private:
  [[nodiscard]] std::int64_t steady_ms() const { return clock_.steady_ns() / 1'000'000; }
  // The wall clock less the steady one, which changes only when the wall clock jumps.
  [[nodiscard]] std::int64_t offset_ms() const { return clock_.now_ms() - steady_ms(); }
  void jumped(std::int64_t offset) VARVE_REQUIRES(mutex_);

  const Clock& clock_;
  std::atomic<std::int64_t> believed_;  // an offset
  std::atomic<std::uint64_t> jumps_ = 0;
  Mutex mutex_;
  std::int64_t seen_ VARVE_GUARDED_BY(mutex_);           // the offset since the last jump
  std::int64_t seen_since_ms_ VARVE_GUARDED_BY(mutex_);  // steady
};

}  // namespace varve::engine::shared
