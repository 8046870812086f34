// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/patience.h"

#include <gtest/gtest.h>

#include <vector>

namespace varve::engine::cassandra {
namespace {

constexpr Patience kFour{4, std::chrono::milliseconds(0)};

// Answers with one after the other; how many were asked for.
int calls(const std::vector<Status>& answers, Status& last) {
  int called = 0;
  last = patiently(kFour, [&]() -> Status { return answers[static_cast<std::size_t>(called++)]; });
  return called;
}

const Status kAway = fail(Code::unavailable, "away"), kSlow = fail(Code::timeout, "slow");

}  // namespace

TEST(Patience, tries_again_what_may_pass) {
  Status last;
  EXPECT_EQ(calls({{}}, last), 1);
  EXPECT_TRUE(last);
  EXPECT_EQ(calls({kAway, kSlow, {}}, last), 3);
  EXPECT_TRUE(last);
}

TEST(Patience, ends) {
  Status last;
  EXPECT_EQ(calls({kAway, kAway, kAway, kSlow, {}}, last), 4);
  EXPECT_EQ(last.error().message, "slow");
}

TEST(Patience, leaves_what_will_not_pass) {
  Status last;
  EXPECT_EQ(calls({kAway, fail(Code::corrupt, "bad"), {}}, last), 2);
  EXPECT_EQ(last.error().message, "bad");
}

}  // namespace varve::engine::cassandra
