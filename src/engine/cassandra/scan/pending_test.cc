// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/pending.h"

#include <gtest/gtest.h>

namespace varve::engine::cassandra {
namespace {

constexpr std::int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;
const std::vector<std::int64_t> kGranularities{5 * kMinute, kHour, kDay};

std::string shown(const TimeRanges& ranges) {
  std::string text;
  for (const auto& r : ranges) text += "[" + std::to_string(r.first) + "," + std::to_string(r.last) + ")";
  return text;
}

TEST(PendingTest, RangesAreJoinedAndTakenOff) {
  TimeRanges ranges{{5, 7}, {1, 2}, {2, 3}, {6, 9}, {4, 4}};
  join(ranges);
  EXPECT_EQ(shown(ranges), "[1,3)[5,9)");
  EXPECT_EQ(shown(without({0, 10}, ranges)), "[0,1)[3,5)[9,10)");
  EXPECT_EQ(shown(without({2, 6}, ranges)), "[3,5)");
  EXPECT_EQ(shown(without({5, 9}, ranges)), "");
  EXPECT_EQ(shown(without({9, 12}, ranges)), "[9,12)");
  EXPECT_EQ(shown(without({-3, 0}, {})), "[-3,0)");
  for (const auto& [first, last, expected] : std::vector<std::tuple<int, int, bool>>{
           {0, 1, false}, {0, 2, true}, {2, 4, true}, {3, 5, false}, {9, 99, false}}) {
    EXPECT_EQ(overlaps(ranges, {first, last}), expected) << first;
  }
}

TEST(PendingTest, WhatLiesInBothLists) {
  const TimeRanges some{{0, 4}, {6, 8}, {10, 20}};
  EXPECT_EQ(shown(both(some, {})), "");
  EXPECT_EQ(shown(both(some, {{4, 6}, {8, 10}})), "");
  EXPECT_EQ(shown(both(some, {{-5, 1}, {3, 7}, {11, 12}, {13, 30}})), "[0,1)[3,4)[6,7)[11,12)[13,20)");
  EXPECT_EQ(shown(both({{-5, 1}, {3, 7}, {11, 12}, {13, 30}}, some)), "[0,1)[3,4)[6,7)[11,12)[13,20)");
}

TEST(PendingTest, AWindowIsTrustedOnlyWithAllThatItIsMadeOf) {
  const auto distrust = [](const Pending& pending, std::size_t level) {
    return shown(distrusted(pending, level, kGranularities, kHour));
  };
  const Pending slot{{kDay + kHour}, {{}, {}, {}}};
  EXPECT_EQ(distrust(slot, 0), shown({{kDay + kHour, kDay + 2 * kHour}}));
  EXPECT_EQ(distrust(slot, 1), shown({{kDay + kHour, kDay + 2 * kHour}}));
  EXPECT_EQ(distrust(slot, 2), shown({{kDay, 2 * kDay}}));
  const Pending finest{{}, {{4 * kHour}, {}, {}}};
  EXPECT_EQ(distrust(finest, 1), shown({{4 * kHour, 8 * kHour}}));
  EXPECT_EQ(distrust(finest, 2), shown({{0, kDay}}));
  const Pending middle{{}, {{}, {2 * kDay}, {}}};
  EXPECT_EQ(distrust(middle, 0), "");
  EXPECT_EQ(distrust(middle, 1), shown({{2 * kDay, 4 * kDay}}));
  EXPECT_EQ(distrust(middle, 2), shown({{2 * kDay, 4 * kDay}}));
  const Pending before_1970{{-kHour}, {{}, {}, {}}};
  EXPECT_EQ(distrust(before_1970, 2), shown({{-kDay, 0}}));
}

}  // namespace
}  // namespace varve::engine::cassandra
