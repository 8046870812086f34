// SPDX-License-Identifier: Apache-2.0
#include "snmp/schedule/schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "snmp/schedule/backoff.h"

namespace varve::snmp::schedule {
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

TEST(ScheduleTest, TheNextTimeIsAMultipleOfTheFrequencyAndAPhase) {
  const struct {
    std::int64_t frequency, phase, now, due;
  } cases[] = {{30'000, 0, 0, 30'000},      {30'000, 0, 29'999, 30'000},
               {30'000, 7, 0, 7},           {30'000, 7, 7, 30'007},
               {1000, 999, -1, 999},        {1000, 0, -1500, -1000},
               {30'000, 29'999, 0, 29'999}, {86'400'000, 5, kNow, 1'700'006'400'005}};
  for (const auto& c : cases) EXPECT_EQ(next_due(c.frequency, c.phase, c.now), c.due) << c.phase << " " << c.now;
}

TEST(ScheduleTest, NothingDriftsHoweverLateItIsLookedAt) {
  Schedule schedule;
  const auto job = schedule.add(1000, 250, kNow);
  std::int64_t late = 0;
  for (std::int64_t k = 0; k < 50; ++k) {
    late = (late * 7 + 13) % 700;
    const auto due = schedule.pop(kNow + k * 1000 + 250 + late);
    ASSERT_TRUE(due.has_value()) << k;
    EXPECT_EQ(due->job, job);
    EXPECT_EQ(due->due_ms, kNow + k * 1000 + 250);
    EXPECT_EQ(due->missed, 0U);
    EXPECT_FALSE(schedule.pop(kNow + k * 1000 + 250 + late).has_value());
  }
}

TEST(ScheduleTest, TimesThatNobodyCameToAreCounted) {
  Schedule schedule;
  schedule.add(1000, 0, kNow);
  const auto due = schedule.pop(kNow + 5400);
  ASSERT_TRUE(due.has_value());
  EXPECT_EQ(due->due_ms, kNow + 5000);
  EXPECT_EQ(due->missed, 4U);
  EXPECT_EQ(schedule.wait_ms(kNow + 5400, 10'000), 600);
}

TEST(ScheduleTest, ARemovedJobIsNeverDueAndItsNumberIsUsedAgain) {
  Schedule schedule;
  const auto a = schedule.add(1000, 0, kNow);
  schedule.add(2000, 0, kNow);
  schedule.remove(a);
  const auto c = schedule.add(5000, 0, kNow);
  EXPECT_EQ(a, c);
  std::map<std::uint32_t, int> count;
  for (std::int64_t t = 0; t <= 10'000; t += 100) {
    while (const auto due = schedule.pop(kNow + t)) ++count[due->job];
  }
  EXPECT_EQ(count[c], 2);
  EXPECT_EQ(count.size(), 2U);
}

TEST(ScheduleTest, AClockThatIsSetBackDoesNotStopThePolls) {
  Schedule schedule;
  schedule.add(1000, 0, kNow);
  ASSERT_TRUE(schedule.pop(kNow + 1000).has_value());
  const std::int64_t before = kNow - 3'600'000;
  EXPECT_FALSE(schedule.pop(before).has_value());
  const auto due = schedule.pop(before + 1000);
  ASSERT_TRUE(due.has_value());
  EXPECT_EQ(due->due_ms, before + 1000);
}

TEST(ScheduleTest, AnExtraTimeComesOnceAndTheOthersStay) {
  Schedule schedule;
  const auto job = schedule.add(1000, 0, kNow);
  EXPECT_TRUE(schedule.add_once(job, kNow + 300));
  EXPECT_FALSE(schedule.add_once(job, kNow + 200));  // one waits already
  EXPECT_EQ(schedule.wait_ms(kNow, 10'000), 300);
  EXPECT_FALSE(schedule.pop(kNow + 299).has_value());
  const auto extra = schedule.pop(kNow + 310);
  ASSERT_TRUE(extra.has_value());
  EXPECT_TRUE(extra->is_extra);
  EXPECT_EQ(extra->due_ms, kNow + 300);
  EXPECT_EQ(extra->missed, 0U);
  EXPECT_FALSE(schedule.pop(kNow + 999).has_value());
  const auto due = schedule.pop(kNow + 1000);
  ASSERT_TRUE(due.has_value());
  EXPECT_FALSE(due->is_extra);
  EXPECT_EQ(due->due_ms, kNow + 1000);
  EXPECT_FALSE(schedule.pop(kNow + 1999).has_value());
}

TEST(ScheduleTest, AnExtraTimeGoesWithItsJobAndWithAClockThatIsSetBack) {
  Schedule schedule;
  const auto a = schedule.add(10'000, 0, kNow);
  schedule.add_once(a, kNow + 300);
  schedule.remove(a);
  ASSERT_EQ(schedule.add(10'000, 0, kNow), a);
  EXPECT_FALSE(schedule.pop(kNow + 9999).has_value());
  schedule.add_once(a, kNow + 9999);
  EXPECT_FALSE(schedule.pop(kNow - 3'600'000).has_value());
  EXPECT_EQ(schedule.wait_ms(kNow - 3'600'000, 3'600'000), 10'000);
  schedule.add_once(a, kNow - 3'600'000);
  EXPECT_TRUE(schedule.pop(kNow - 3'600'000).has_value());
}

TEST(ScheduleTest, PhasesSpreadDevicesOverTheFrequency) {
  std::map<std::int64_t, int> tenths;
  for (int i = 0; i < 1000; ++i) {
    const auto phase = phase_ms("default", "rtr-" + std::to_string(i), 30'000);
    ASSERT_GE(phase, 0);
    ASSERT_LT(phase, 30'000);
    ++tenths[phase / 3000];
  }
  EXPECT_EQ(tenths.size(), 10U);
  for (const auto& [tenth, count] : tenths) EXPECT_GT(count, 60) << tenth;
  EXPECT_EQ(phase_ms("default", "rtr-1", 30'000), phase_ms("default", "rtr-1", 30'000));
  EXPECT_NE(phase_ms("default", "rtr-1", 30'000), phase_ms("other", "rtr-1", 30'000));
}

TEST(BackoffTest, PausesDoubleUpToTheLongest) {
  Backoff backoff;
  EXPECT_FALSE(backoff.is_silent());
  std::int64_t now = 0;
  for (const std::int64_t pause : {2000, 4000, 8000, 16'000, 32'000, 60'000, 60'000}) {
    backoff.silent(now, 2000, 60'000);
    EXPECT_TRUE(backoff.is_silent());
    EXPECT_EQ(backoff.next_ms() - now, pause);
    now = backoff.next_ms();
  }
  backoff.answered();
  EXPECT_FALSE(backoff.is_silent());
  backoff.silent(now, 2000, 60'000);
  EXPECT_EQ(backoff.next_ms() - now, 2000);
}

}  // namespace
}  // namespace varve::snmp::schedule
