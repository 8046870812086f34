// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

namespace varve {
namespace {

TEST(ManualClock, StandsStillUntilTold) {
  ManualClock clock(1000);
  const auto steady = clock.steady_ns();
  EXPECT_EQ(clock.now_ms(), 1000);
  clock.advance_ms(5);
  EXPECT_EQ(clock.now_ms(), 1005);
  EXPECT_EQ(clock.steady_ns() - steady, 5'000'000);
}

TEST(SystemClock, NeverGoesBackAndKnowsTheCentury) {
  const SystemClock clock;
  const auto before = clock.steady_ns();
  EXPECT_GE(clock.steady_ns(), before);
  EXPECT_GT(clock.now_ms(), 1'577'836'800'000);  // 2020
  EXPECT_LT(clock.now_ms(), 4'102'444'800'000);  // 2100
}

}  // namespace
}  // namespace varve
