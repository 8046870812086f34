// SPDX-License-Identifier: Apache-2.0
#include "tracker/jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "tracker/ownership.h"

namespace varve::tracker {
namespace {

Timetable table(std::uint32_t partitions, std::uint32_t jobs, std::int64_t period_ms) {
  return Timetable({all_partitions(partitions), jobs, period_ms, 30'000});
}

TEST(Timetable, DividesThePartitionsAsEvenlyAsCanBe) {
  const auto sizes = [](std::uint32_t partitions, std::uint32_t jobs) {
    const Timetable times = table(partitions, jobs, 60'000);
    std::vector<std::size_t> list;
    std::vector<std::uint32_t> all;
    for (std::uint32_t job = 0; job < times.jobs(); ++job) {
      const auto mine = times.partitions(job);
      list.push_back(mine.size());
      all.insert(all.end(), mine.begin(), mine.end());
    }
    std::ranges::sort(all);
    EXPECT_EQ(all, all_partitions(partitions));
    return list;
  };
  using List = std::vector<std::size_t>;
  EXPECT_EQ(sizes(64, 4), (List{16, 16, 16, 16}));
  EXPECT_EQ(sizes(128, 4), (List{32, 32, 32, 32}));
  EXPECT_EQ(sizes(4, 4), (List{1, 1, 1, 1}));
  EXPECT_EQ(sizes(7, 3), (List{3, 2, 2}));
  EXPECT_EQ(sizes(2, 4), (List{1, 1}));
  EXPECT_EQ(sizes(5, 1), (List{5}));
  EXPECT_EQ(sizes(0, 4), List{});
}

// 16 partitions of each of 4 jobs in 896 s: 56 s apart, as Ceres did it; our jobs are shifted by 14 s each.
TEST(Timetable, TurnsAreEvenlyApart) {
  const Timetable times = table(64, 4, 896'000);
  EXPECT_EQ(times.partition(1, 1), 5U);
  EXPECT_EQ(times.due_ms(0, 0), 0);
  EXPECT_EQ(times.due_ms(0, 1), 56'000);
  EXPECT_EQ(times.due_ms(0, 15), 840'000);
  EXPECT_EQ(times.due_ms(0, 16), 896'000);
  EXPECT_EQ(times.due_ms(1, 0), 14'000);
  EXPECT_EQ(times.due_ms(3, 0), 42'000);
  EXPECT_EQ(times.partition(3, 15 + 16 * 1000), 63U);
  EXPECT_EQ(times.partition(0, -1), 60U);
  EXPECT_EQ(times.due_ms(0, -1), -56'000);
}

TEST(Timetable, LatestIsTheLastTurnThatIsDue) {
  std::mt19937_64 random(3);
  const std::vector<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>> shapes = {
      {64, 4, 60'000}, {7, 3, 1000}, {65'536, 4, 1000}, {1, 1, 1000}, {13, 5, 86'400'000}, {3, 2, 1001}};
  for (const auto& [partitions, jobs, period] : shapes) {
    const Timetable times = table(partitions, jobs, period);
    for (int i = 0; i < 300; ++i) {
      const std::uint32_t job = static_cast<std::uint32_t>(random() % times.jobs());
      const auto now = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 54)) + model::kTimestampMin;
      const std::int64_t turn = times.latest(job, now);
      ASSERT_LE(times.due_ms(job, turn), now) << partitions << ' ' << jobs << ' ' << period;
      ASSERT_GT(times.due_ms(job, turn + 1), now) << partitions << ' ' << jobs << ' ' << period;
      ASSERT_EQ(times.latest(job, times.due_ms(job, turn)), turn);
    }
  }
}

TEST(Timetable, CatchesUpWithOnePeriodAtMostAndFollowsAClockThatGoesBack) {
  const Timetable times = table(4, 1, 4000);
  const std::int64_t latest = times.latest(0, 1'000'000);
  EXPECT_EQ(times.catch_up(0, latest + 1, 1'000'000), latest + 1);
  EXPECT_EQ(times.catch_up(0, latest, 1'000'000), latest);
  EXPECT_EQ(times.catch_up(0, latest - 3, 1'000'000), latest - 3);
  EXPECT_EQ(times.catch_up(0, latest - 4, 1'000'000), latest - 3);
  EXPECT_EQ(times.catch_up(0, 0, 1'000'000), latest - 3);
  EXPECT_EQ(times.catch_up(0, latest + 100, 1'000'000), latest + 1);
}

}  // namespace
}  // namespace varve::tracker
