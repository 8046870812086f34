// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <gtest/gtest.h>

namespace varve {
namespace {

TEST(Check, PassesWhatHolds) { check(true, "not printed"); }

TEST(CheckDeathTest, SaysWhatAndWhere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(check(1 > 2, "one is less than two"), "level=fatal.*one is less than two.*check_test.cc:[0-9]+");
}

}  // namespace
}  // namespace varve
