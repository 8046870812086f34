// SPDX-License-Identifier: Apache-2.0
#include "counter/windows.h"

#include <gtest/gtest.h>

#include <random>

namespace varve::counter {
namespace {

using Whole = Interval<std::uint64_t>;
constexpr std::int64_t kBaseMs = 30'000, kHourMs = 3'600'000;

Windows<std::uint64_t> hours(std::initializer_list<Whole> intervals) {
  const std::vector<Whole> list(intervals);
  return windows_of<std::uint64_t>(list, kBaseMs, kHourMs);
}

TEST(Windows, AverageIsIncreaseByCoveredTime) {
  const auto found = hours({{0, 30'000, 3000}, {30'000, 60'000, 600}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].increase, 3600U);
  EXPECT_EQ(found[0].covered_ms, 60'000);
  EXPECT_EQ(rate_of(found[0].increase, found[0].covered_ms), 60);
  EXPECT_EQ(found[0].least, (BaseRate{20, 30'000}));
  EXPECT_EQ(found[0].greatest, (BaseRate{100, 0}));
}

TEST(Windows, ALostPollLeavesTheAverageRight) {
  const auto found = hours({{0, 60'000, 600}, {120'000, 150'000, 300}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(rate_of(found[0].increase, found[0].covered_ms), 10) << "what is not covered is not zero";
}

TEST(Windows, OfEqualRatesTheEarliest) {
  const auto found = hours({{0, 120'000, 400}});
  EXPECT_EQ(found[0].least->at, 0);
  EXPECT_EQ(found[0].greatest->at, 0);
}

TEST(Windows, LittleCoveredBinsDoNotTakePart) {
  auto found = hours({{0, 14'999, 1000}});
  EXPECT_EQ(found[0].increase, 1000U);
  EXPECT_EQ(found[0].least, std::nullopt);
  found = hours({{0, 15'000, 1000}});
  EXPECT_NE(found[0].least, std::nullopt) << "a half is enough";
}

TEST(Windows, AnIntervalAcrossTheEdgeIsSplit) {
  const auto found = hours({{kHourMs - 15'000, kHourMs + 15'000, 3000}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].increase, 1500U);
  EXPECT_EQ(found[1].increase, 1500U);
}

TEST(Windows, ABaseBinAcrossTheEdgeCountsWhereItStarts) {
  // Bins of 7 minutes do not divide the hour: the one that starts at 56 minutes ends in the next hour.
  const std::vector<Whole> intervals{{56 * 60'000, 63 * 60'000, 420}};
  const auto found = windows_of<std::uint64_t>(intervals, 7 * 60'000, kHourMs);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].increase, 240U);
  EXPECT_EQ(found[0].greatest, (BaseRate{1, 56 * 60'000}));
  EXPECT_EQ(found[1].increase, 180U);
  EXPECT_EQ(found[1].greatest, std::nullopt);
}

// Windows of windows are those of the intervals, and any part may be added to any other.
TEST(Windows, CoarserOnesAreMadeOfFinerOnes) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<Whole> intervals;
    model::Timestamp time = static_cast<std::int64_t>(random() % 100'000'000) - 50'000'000;
    for (int i = 0; i < 200; ++i) {
      const auto length = 1 + static_cast<std::int64_t>(random() % 90'000);
      if (random() % 4 != 0) intervals.push_back({time, time + length, random() % 1'000'000});
      time += length;
    }
    const auto fine = windows_of<std::uint64_t>(intervals, kBaseMs, 300'000);
    EXPECT_EQ(coarser<std::uint64_t>(fine, kHourMs), windows_of<std::uint64_t>(intervals, kBaseMs, kHourMs));
    std::uint64_t all = 0, expected = 0;
    for (const auto& window : fine) all += window.increase;
    for (const auto& interval : intervals) expected += interval.increase;
    EXPECT_EQ(all, expected);
  }
}

}  // namespace
}  // namespace varve::counter
