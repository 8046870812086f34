// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/window_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace varve::engine::shared {
namespace {

using model::TimeRange;
using model::TimeRanges;

// Windows of 10, 20 and 60.
constexpr std::int64_t kNow = 1000;

struct Case {
  const char* what;
  TimeRange range;
  std::vector<TimeRanges> trusted;  // of each granularity
  std::vector<bool> takes;
  const char* plan;  // "[first,last)width", 0: samples, with + where windows would do
  std::vector<std::int64_t> retention_ms = {rollup::kForEver, rollup::kForEver, rollup::kForEver};
  std::size_t levels = 3;
};

const TimeRanges kAll{{-6000, 6000}};

const std::vector<Case> kCases{
    {"the coarsest", {0, 120}, {kAll, kAll, kAll}, {true, true, true}, "[0,120)60"},
    {"edges are finer",
     {5, 195},
     {kAll, kAll, kAll},
     {true, true, true},
     "[5,10)0+[10,20)10[20,60)20[60,180)60[180,190)10[190,195)0+"},
    {"too short for any", {11, 19}, {kAll, kAll, kAll}, {true, true, true}, "[11,19)0"},
    {"before 1970", {-70, 0}, {kAll, kAll, kAll}, {true, true, true}, "[-70,-60)10[-60,0)60"},
    {"empty", {5, 5}, {kAll, kAll, kAll}, {true, true, true}, ""},
    {"what the sink takes", {0, 120}, {kAll, kAll, kAll}, {true, true, false}, "[0,120)20"},
    {"the sink takes nothing", {0, 120}, {kAll, kAll, kAll}, {false, false, false}, "[0,120)0"},
    {"a hole is finer",
     {0, 180},
     {kAll, kAll, {{0, 60}, {120, 180}}},
     {true, true, true},
     "[0,60)60[60,120)20[120,180)60"},
    {"a hole in all of them",
     {0, 180},
     {{{0, 90}, {100, 180}}, {{0, 80}, {100, 180}}, {{0, 60}, {120, 180}}},
     {true, true, true},
     "[0,60)60[60,80)20[80,90)10[90,100)0+[100,120)20[120,180)60"},
    {"holes at both ends", {0, 180}, {kAll, kAll, {{60, 120}}}, {true, true, true}, "[0,60)20[60,120)60[120,180)20"},
    {"nothing is trusted", {5, 115}, {{}, {}, {}}, {true, true, true}, "[5,115)0+"},
    {"the first two only", {0, 120}, {kAll, kAll, kAll}, {true, true, true}, "[0,120)20", {1, 1, 1}, 0},
    {"windows whose time is over",
     {0, 240},
     {kAll, kAll, kAll},
     {true, true, true},
     "[0,120)20[120,240)60",
     {rollup::kForEver, rollup::kForEver, kNow - 70}},
    {"samples instead", {0, 120}, {kAll, kAll, kAll}, {true, true, true}, "[0,120)0", {10, 10, 10}},
};

class PlanTest : public ::testing::Test {
 protected:
  static std::vector<rollup::Level> levels_of(const std::vector<std::int64_t>& retention_ms) {
    return {{10, retention_ms[0]}, {20, retention_ms[1]}, {60, retention_ms[2]}};
  }
  static std::vector<Segment> plan_of(const std::vector<rollup::Level>& levels, TimeRange range, std::size_t count,
                                      const std::vector<TimeRanges>& trusted, const std::vector<bool>& takes) {
    PlanRules rules{levels, kNow, {}, {}};
    rules.takes = [&](TimeRange part, std::size_t level) {
      EXPECT_FALSE(part.empty());
      EXPECT_EQ(part.first % levels[level].width_ms, 0);
      EXPECT_EQ(part.last % levels[level].width_ms, 0);
      return takes[level];
    };
    rules.trusted = [&](TimeRange part, std::size_t level) { return both(TimeRanges{part}, trusted[level]); };
    std::vector<Segment> plan;
    plan_windows(rules, range, count, plan);
    return plan;
  }
};

TEST_F(PlanTest, Table) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    const bool some = c.levels == 0;  // of the granularities: two
    const auto levels = levels_of(some ? std::vector<std::int64_t>(3, rollup::kForEver) : c.retention_ms);
    std::string text;
    for (const Segment& s : plan_of(levels, c.range, some ? 2 : c.levels, c.trusted, c.takes)) {
      text += "[" + std::to_string(s.range.first) + "," + std::to_string(s.range.last) + ")";
      text += std::to_string(s.of_samples() ? 0 : levels[s.level].width_ms) + (s.for_windows ? "+" : "");
    }
    EXPECT_EQ(text, c.plan);
  }
}

// Whatever is trusted: the range is covered once and in order, and windows only where they are trusted.
TEST_F(PlanTest, CoversTheRangeOnce) {
  std::mt19937 random(7);
  const auto levels = levels_of({rollup::kForEver, rollup::kForEver, rollup::kForEver});
  for (int round = 0; round < 2000; ++round) {
    std::vector<TimeRanges> trusted;
    for (const auto& level : levels) {
      TimeRanges ranges;
      for (model::Timestamp at = -600; at < 600; at += level.width_ms) {
        if (random() % 3 != 0) ranges.push_back({at, at + level.width_ms});
      }
      join(ranges);
      trusted.push_back(std::move(ranges));
    }
    const auto first = static_cast<model::Timestamp>(random() % 600) - 300;
    const TimeRange range{first, first + static_cast<model::Timestamp>(random() % 300)};
    model::Timestamp at = range.first;
    for (const Segment& s : plan_of(levels, range, 3, trusted, {random() % 4 != 0, random() % 4 != 0, true})) {
      ASSERT_EQ(s.range.first, at);
      ASSERT_FALSE(s.range.empty());
      at = s.range.last;
      if (s.of_samples()) continue;
      ASSERT_EQ(without(s.range, trusted[s.level]), TimeRanges{});
    }
    ASSERT_EQ(at, range.last);
  }
}

}  // namespace
}  // namespace varve::engine::shared
