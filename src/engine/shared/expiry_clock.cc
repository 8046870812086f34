// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/expiry_clock.h"

#include <algorithm>
#include <cstdlib>

#include "base/log.h"

namespace varve::engine::shared {

ExpiryClock::ExpiryClock(const Clock& clock)
    : clock_(clock), believed_(offset_ms()), seen_(believed_), seen_since_ms_(steady_ms()) {}

void ExpiryClock::start(std::optional<std::int64_t> stored_ms) {
  const MutexLock lock(mutex_);
  believed_ = seen_ = offset_ms();
  seen_since_ms_ = steady_ms();
  if (!stored_ms) return;
  const std::int64_t ahead = clock_.now_ms() - *stored_ms;
  if (ahead >= 0 && ahead <= kOffMs) return;
  believed_ = *stored_ms - steady_ms();
  if (ahead < 0) return log::warn("the clock is behind the time of the last stop", {{"seconds", -ahead / 1000}});
  ++jumps_;
  log::warn(
      "the last stop was more than a day ago, or the clock is ahead: nothing expires until it has been steady for an "
      "hour, or until POST /-/trust-clock",
      {{"seconds", ahead / 1000}});
}

std::int64_t ExpiryClock::now_ms() const { return std::min(clock_.now_ms(), steady_ms() + believed_ + kToleranceMs); }

void ExpiryClock::observe() {
  const MutexLock lock(mutex_);
  const std::int64_t offset = offset_ms();
  if (std::abs(offset - seen_) > kToleranceMs) return jumped(offset);
  if (steady_ms() - seen_since_ms_ < kBelievedAfterMs) return;
  if (seen_ - believed_ > kToleranceMs) log::info("the clock has been steady for an hour: data expire by it again", {});
  believed_ = seen_ = offset;
  seen_since_ms_ = steady_ms();
}

void ExpiryClock::trust() {
  const MutexLock lock(mutex_);
  if (held_ms() > 0) log::info("the clock is right, as an operator says: data expire by it again", {});
  believed_ = seen_ = offset_ms();
  seen_since_ms_ = steady_ms();
}

void ExpiryClock::jumped(std::int64_t offset) {
  const std::int64_t was_ahead = seen_ - believed_;
  seen_ = offset;
  seen_since_ms_ = steady_ms();
  const std::int64_t ahead = offset - believed_;
  if (ahead > kToleranceMs) {
    ++jumps_;
    log::error(
        "the clock is ahead of the time that has passed: nothing expires by it until it has been steady for an hour, "
        "or until POST /-/trust-clock",
        {{"seconds", ahead / 1000}});
  } else if (ahead < -kToleranceMs) {
    log::warn("the clock went back", {{"seconds", -ahead / 1000}});
  } else if (was_ahead > kToleranceMs) {
    log::info("the clock is as it was before it jumped", {});
  }
}

}  // namespace varve::engine::shared
