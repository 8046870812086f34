// SPDX-License-Identifier: Apache-2.0
#include "base/wait.h"

#include <gtest/gtest.h>

#include <thread>

namespace varve {
namespace {

TEST(WaitFor, AnswersFromHereAndFromElsewhere) {
  EXPECT_TRUE(wait_for([](const auto& done) { done({}); }));
  std::thread other;
  const Status status =
      wait_for([&](const auto& done) { other = std::thread([done] { done(fail(Code::timeout, "late")); }); });
  other.join();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "late");
}

}  // namespace
}  // namespace varve
