// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/expiry_clock.h"

#include <gtest/gtest.h>

#include <random>

#include "base/testing/jumping_clock.h"

namespace varve::engine::shared {
namespace {

using varve::testing::JumpingClock;

constexpr std::int64_t kMinuteMs = 60'000, kHourMs = 60 * kMinuteMs, kDayMs = 24 * kHourMs, kYearMs = 365 * kDayMs;

class ExpiryTime : public ::testing::Test {
 protected:
  // Both clocks go on, and are looked at.
  void pass(std::int64_t ms) {
    for (std::int64_t done = 0; done < ms; done += kMinuteMs) {
      clock.advance_ms(std::min(kMinuteMs, ms - done));
      expiry.observe();
    }
  }
  void jump(std::int64_t ms) {
    clock.jump_ms(ms);
    expiry.observe();
  }

  JumpingClock clock;
  const std::int64_t begin = clock.now_ms();
  ExpiryClock expiry{clock};
};

TEST_F(ExpiryTime, IsTheWallClock) {
  expiry.start(std::nullopt);
  pass(3 * kDayMs);
  EXPECT_EQ(expiry.now_ms(), begin + 3 * kDayMs);
  EXPECT_EQ(expiry.now_ms(), clock.now_ms());
  jump(-kMinuteMs / 2);
  EXPECT_EQ(expiry.now_ms(), clock.now_ms());
  EXPECT_EQ(expiry.jumps(), 0U);
}

TEST_F(ExpiryTime, DoesNotFollowAJumpAhead) {
  clock.jump_ms(kYearMs);  // even if nobody has looked yet
  EXPECT_LE(expiry.now_ms(), begin + kMinuteMs);
  expiry.observe();
  pass(kHourMs - kMinuteMs);
  EXPECT_LE(expiry.now_ms(), begin + kHourMs);
  EXPECT_GE(expiry.held_ms(), kYearMs - kMinuteMs);
  EXPECT_EQ(expiry.jumps(), 1U);
}

TEST_F(ExpiryTime, GoesOnAtOnceAfterAJumpAheadAndBack) {
  jump(kYearMs);
  pass(kMinuteMs);
  jump(-kYearMs);
  EXPECT_EQ(expiry.now_ms(), begin + kMinuteMs);
  EXPECT_EQ(expiry.held_ms(), 0);
  pass(2 * kDayMs);
  EXPECT_EQ(expiry.now_ms(), begin + kMinuteMs + 2 * kDayMs);
}

TEST_F(ExpiryTime, BelievesAJumpAheadAfterAnHour) {
  jump(kYearMs);
  pass(kHourMs);
  EXPECT_EQ(expiry.now_ms(), begin + kYearMs + kHourMs);
  EXPECT_EQ(expiry.held_ms(), 0);
}

TEST_F(ExpiryTime, TheHourBeginsAgainWithEachJump) {
  jump(kYearMs);
  pass(kHourMs - kMinuteMs);
  jump(kYearMs);
  pass(kHourMs - kMinuteMs);
  EXPECT_LE(expiry.now_ms(), begin + 2 * kHourMs);
  EXPECT_EQ(expiry.jumps(), 2U);
}

TEST_F(ExpiryTime, BelievesAnOperatorAtOnce) {
  jump(kYearMs);
  expiry.trust();
  EXPECT_EQ(expiry.now_ms(), begin + kYearMs);
  EXPECT_EQ(expiry.held_ms(), 0);
}

TEST_F(ExpiryTime, FollowsAJumpBackAtOnce) {
  jump(-kDayMs);
  EXPECT_EQ(expiry.now_ms(), begin - kDayMs);
  pass(kHourMs);
  EXPECT_EQ(expiry.now_ms(), begin - kDayMs + kHourMs);
  jump(kDayMs);  // by then the earlier time was believed
  EXPECT_LE(expiry.now_ms(), begin - kDayMs + kHourMs + kMinuteMs);
  pass(kHourMs);
  EXPECT_EQ(expiry.now_ms(), begin + 2 * kHourMs);
}

TEST_F(ExpiryTime, ComesBackAtOnceFromAShortJumpBack) {
  jump(-kDayMs);
  pass(kMinuteMs);
  jump(kDayMs);
  EXPECT_EQ(expiry.now_ms(), begin + kMinuteMs);
  EXPECT_EQ(expiry.jumps(), 0U);
}

// A wall clock that is too fast is a row of small jumps.
TEST_F(ExpiryTime, GoesNoFasterThanTheSteadyClock) {
  for (int i = 0; i < 1000; ++i) {
    clock.advance_ms(1000);
    clock.jump_ms(50'000);
    expiry.observe();
  }
  EXPECT_LE(expiry.now_ms(), begin + 1'000'000 + 2 * kMinuteMs);
}

TEST_F(ExpiryTime, IsStoredAsItWasBelieved) {
  jump(kYearMs);
  pass(kMinuteMs);
  EXPECT_EQ(expiry.stored_ms(), begin + kMinuteMs);
}

TEST_F(ExpiryTime, AStartBelievesWhatIsADayAhead) {
  expiry.start(begin - kDayMs);
  EXPECT_EQ(expiry.now_ms(), begin);
  EXPECT_EQ(expiry.jumps(), 0U);
}

TEST_F(ExpiryTime, AStartDoesNotBelieveWhatIsFurtherAhead) {
  expiry.start(begin - kDayMs - 1);
  EXPECT_LE(expiry.now_ms(), begin - kDayMs + kMinuteMs);
  EXPECT_EQ(expiry.jumps(), 1U);
  pass(kHourMs);
  EXPECT_EQ(expiry.now_ms(), begin + kHourMs);
}

// A board without a battery: it begins in 1970, and is set right by the network.
TEST_F(ExpiryTime, AStartInThePastDoesNotLoseTheTime) {
  const std::int64_t stored = begin;
  clock.jump_ms(-begin + kHourMs);
  expiry.start(stored);
  EXPECT_EQ(expiry.now_ms(), kHourMs);
  EXPECT_EQ(expiry.stored_ms(), stored);
  pass(kMinuteMs);
  jump(begin - kHourMs);
  EXPECT_EQ(expiry.now_ms(), begin + kMinuteMs);
  EXPECT_EQ(expiry.jumps(), 0U);
}

// Whatever the clock does: what expires has been there for as long as the steady clock says, unless the wall clock was
// steady for an hour.
TEST_F(ExpiryTime, RandomJumps) {
  std::mt19937 random(7);
  std::int64_t passed = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t by = static_cast<std::int64_t>(random() % 50) * kMinuteMs;
    clock.jump_ms(static_cast<std::int64_t>(random()) * (random() % 2 == 0 ? 1000 : -1000) + 2 * kMinuteMs);
    expiry.observe();
    pass(by);
    passed += by;
    EXPECT_LE(expiry.now_ms(), clock.now_ms());
    EXPECT_LE(expiry.now_ms(), begin + passed + kMinuteMs);
    EXPECT_EQ(expiry.stored_ms(), begin + passed);
  }
}

}  // namespace
}  // namespace varve::engine::shared
