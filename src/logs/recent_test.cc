// SPDX-License-Identifier: Apache-2.0
#include "logs/recent.h"

#include <gtest/gtest.h>

namespace varve::logs {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

TEST(Recent, WhatComesAgainIsLeftOutOnce) {
  const ManualClock clock(110'000);
  Recent recent(clock);
  EXPECT_EQ(recent.start_again(), 100 * kSecond);
  EXPECT_TRUE(recent.is_new(101 * kSecond, "a"));
  EXPECT_TRUE(recent.is_new(101 * kSecond, "a"));  // two that are alike are two
  EXPECT_TRUE(recent.is_new(102 * kSecond, "b"));
  EXPECT_EQ(recent.start_again(), 100 * kSecond);
  EXPECT_FALSE(recent.is_new(101 * kSecond, "a"));
  EXPECT_FALSE(recent.is_new(101 * kSecond, "a"));
  EXPECT_TRUE(recent.is_new(101 * kSecond, "a"));
  EXPECT_FALSE(recent.is_new(102 * kSecond, "b"));
  EXPECT_TRUE(recent.is_new(103 * kSecond, "c"));
}

TEST(Recent, BeginsTenSecondsBeforeTheNewest) {
  ManualClock clock(30'000);
  Recent recent(clock);
  clock.advance_ms(70'000);
  EXPECT_TRUE(recent.is_new(50 * kSecond, "old"));
  EXPECT_TRUE(recent.is_new(90 * kSecond, "new"));
  EXPECT_TRUE(recent.is_new(85 * kSecond, "late"));
  EXPECT_EQ(recent.start_again(), 80 * kSecond);
  EXPECT_FALSE(recent.is_new(85 * kSecond, "late"));
  EXPECT_FALSE(recent.is_new(90 * kSecond, "new"));
  EXPECT_TRUE(recent.is_new(50 * kSecond, "old"));  // no longer known
  EXPECT_TRUE(recent.is_new(9'000 * kSecond, "of a clock that is ahead"));
  EXPECT_EQ(recent.start_again(), 90 * kSecond);
  EXPECT_FALSE(recent.is_new(9'000 * kSecond, "of a clock that is ahead"));
}

}  // namespace
}  // namespace varve::logs
