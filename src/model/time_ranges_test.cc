// SPDX-License-Identifier: Apache-2.0
#include "model/time_ranges.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace varve::model {
namespace {

std::string text_of(const TimeRanges& ranges) {
  std::string text;
  for (const auto& r : ranges) text += "[" + std::to_string(r.first) + "," + std::to_string(r.last) + ")";
  return text;
}

TEST(TimeRanges, RangesAreJoinedAndTakenOff) {
  TimeRanges ranges{{5, 7}, {1, 2}, {2, 3}, {6, 9}, {4, 4}};
  join(ranges);
  EXPECT_EQ(text_of(ranges), "[1,3)[5,9)");
  EXPECT_EQ(text_of(without({0, 10}, ranges)), "[0,1)[3,5)[9,10)");
  EXPECT_EQ(text_of(without({2, 6}, ranges)), "[3,5)");
  EXPECT_EQ(text_of(without({5, 9}, ranges)), "");
  EXPECT_EQ(text_of(without({9, 12}, ranges)), "[9,12)");
  EXPECT_EQ(text_of(without({-3, 0}, {})), "[-3,0)");
  for (const auto& [first, last, expected] : std::vector<std::tuple<int, int, bool>>{
           {0, 1, false}, {0, 2, true}, {2, 4, true}, {3, 5, false}, {9, 99, false}}) {
    EXPECT_EQ(overlaps(ranges, {first, last}), expected) << first;
  }
}

TEST(TimeRanges, WhatReachesTheEndsHasNoLimits) {
  EXPECT_EQ(without_limits({}), kAllTime);
  EXPECT_EQ(without_limits(kAllTime), kAllTime);
  EXPECT_EQ(without_limits({kTimestampMin, 7}), (TimeRange{kAllTime.first, 7}));
  EXPECT_EQ(without_limits({7, kTimestampMax + 1}), (TimeRange{7, kAllTime.last}));
  EXPECT_EQ(without_limits({kTimestampMin + 1, kTimestampMax}), (TimeRange{kTimestampMin + 1, kTimestampMax}));
}

TEST(TimeRanges, WhatLiesInBothLists) {
  const TimeRanges some{{0, 4}, {6, 8}, {10, 20}};
  EXPECT_EQ(text_of(both(some, {})), "");
  EXPECT_EQ(text_of(both(some, {{4, 6}, {8, 10}})), "");
  EXPECT_EQ(text_of(both(some, {{-5, 1}, {3, 7}, {11, 12}, {13, 30}})), "[0,1)[3,4)[6,7)[11,12)[13,20)");
  EXPECT_EQ(text_of(both({{-5, 1}, {3, 7}, {11, 12}, {13, 30}}, some)), "[0,1)[3,4)[6,7)[11,12)[13,20)");
}

}  // namespace
}  // namespace varve::model
