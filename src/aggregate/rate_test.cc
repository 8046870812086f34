// SPDX-License-Identifier: Apache-2.0
#include "aggregate/rate.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

std::string rated(const RateOptions& options, const std::string& in) { return text_of(rate(options, points_of(in))); }

TEST(Rate, IsTheChangePerSecond) {
  EXPECT_EQ(rated({}, ""), "");
  EXPECT_EQ(rated({}, "0:5"), "");
  EXPECT_EQ(rated({}, "0:5 10000:25 10500:20"), "10000:2.0 10500:-10.0");
  EXPECT_EQ(rated({.delta_only = true}, "0:5 10000:25"), "10000:20.0");
  EXPECT_EQ(rated({}, "0:1.5 1000:2 2000:2.25"), "1000:0.5 2000:0.25");
  // Exact where doubles would not be.
  EXPECT_EQ(rated({}, "0:9007199254740993 1000:9007199254740994"), "1000:1.0");
}

TEST(Rate, ACounterGoesOverItsEnd) {
  EXPECT_EQ(rated({.counter = true, .counter_max = 70}, "0:60 1000:10"), "1000:20.0");
  EXPECT_EQ(rated({.counter = true, .counter_max = 65535}, "0:65530 10000:5 20000:15"), "10000:1.0 20000:1.0");
  EXPECT_EQ(rated({.counter = true, .counter_max = 70}, "0:60.5 1000:10.5"), "1000:20.0");
}

TEST(Rate, ACounterBeginsAgain) {
  const RateOptions reset{.counter = true, .counter_max = 65535, .reset_value = 100};
  EXPECT_EQ(rated(reset, "0:50000 1000:10 2000:40"), "1000:0.0 2000:30.0");
  EXPECT_EQ(rated({.counter = true, .drop_resets = true}, "0:50 1000:10 2000:40"), "2000:30.0");
  EXPECT_EQ(rated({.counter = true}, "0:1 1000:2"), "1000:1.0");
  // A rate over reset_value that did not go over the end is a rate.
  EXPECT_EQ(rated(reset, "0:0 1000:500"), "1000:500.0");
}

TEST(Rate, PassesOverEmptyWindows) { EXPECT_EQ(rated({}, "0:- 1000:1 2000:- 3000:5"), "0:- 2000:- 3000:2.0"); }

}  // namespace
}  // namespace varve::aggregate
