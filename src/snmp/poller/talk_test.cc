// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/talk.h"

#include <gtest/gtest.h>

namespace varve::snmp::poller {
namespace {

TEST(TalkTest, WhatIsSaidOftenIsSaidNowAndThen) {
  Talk talk;
  std::int64_t now_ms = 1'000'000'000;
  int said = 0;
  std::uint32_t left_out = 0;
  for (int i = 0; i < 3600; ++i) {
    const auto untold = talk.say(now_ms += 1000);
    said += untold ? 1 : 0;
    left_out += untold.value_or(0);
  }
  EXPECT_GE(said, Talk::kAtOnce + 11);
  EXPECT_LE(said, Talk::kAtOnce + 12);
  EXPECT_GT(left_out, 3000U);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(talk.say(now_ms += Talk::kPauseMs)) << i;
  EXPECT_FALSE(talk.say(now_ms));
  now_ms += 100 * Talk::kPauseMs;
  EXPECT_EQ(talk.say(now_ms), 1U);
  for (int i = 1; i < Talk::kAtOnce; ++i) EXPECT_EQ(talk.say(now_ms), 0U);
  EXPECT_FALSE(talk.say(now_ms));
}

}  // namespace
}  // namespace varve::snmp::poller
