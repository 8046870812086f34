// SPDX-License-Identifier: Apache-2.0
#include "counter/breaks.h"

#include <gtest/gtest.h>

namespace varve::counter {
namespace {

using Times = std::vector<model::Timestamp>;
using Ticks = std::vector<double>;

TEST(Breaks, TheUptimeGoesBack) {
  EXPECT_EQ(restarts(Times{}, Ticks{}), Times{});
  EXPECT_EQ(restarts(Times{0}, Ticks{5}), Times{});
  EXPECT_EQ(restarts(Times{0, 30'000, 60'000, 90'000}, Ticks{1000, 4000, 500, 3500}), Times{60'000});
  EXPECT_EQ(restarts(Times{0, 30'000}, Ticks{1000, 1000}), Times{}) << "an agent that answers from memory";
  EXPECT_EQ(restarts(Times{0, 30'000, 60'000}, Ticks{3000, 2999, 0}), (Times{30'000, 60'000}));
}

TEST(Breaks, TheUptimeWraps) {
  EXPECT_EQ(restarts(Times{0, 30'000}, Ticks{4294966296, 2000}), Times{});
  EXPECT_EQ(restarts(Times{0, 30'000}, Ticks{4294966296, 2150}), Times{}) << "the answer was late";
  EXPECT_EQ(restarts(Times{0, 30'000}, Ticks{4294966296, 100}), Times{30'000}) << "it would be too early";
  EXPECT_EQ(restarts(Times{0, 30'000}, Ticks{4294966296, 9000}), Times{30'000}) << "it would be too late";
  EXPECT_EQ(restarts(Times{0, 30'000}, Ticks{4200000000, 2000}), Times{30'000});
  EXPECT_EQ(restarts(Times{0, 86'400'000}, Ticks{4290000000, 3600000}), Times{}) << "a day without a poll";
}

TEST(Breaks, AnyChange) {
  EXPECT_EQ(changes(Times{}, Ticks{}), Times{});
  EXPECT_EQ(changes(Times{0, 10, 20, 30}, Ticks{7, 7, 9, 7}), (Times{20, 30}));
}

}  // namespace
}  // namespace varve::counter
