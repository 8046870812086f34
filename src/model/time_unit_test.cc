// SPDX-License-Identifier: Apache-2.0
#include "model/time_unit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace varve::model {
namespace {

using enum TimeUnit;
constexpr std::int64_t kDay = 86'400'000;

Timestamp at(int y, unsigned m, unsigned d) {
  using namespace std::chrono;
  return sys_days{year{y} / month{m} / day{d}}.time_since_epoch().count() * kDay;
}

TEST(TimeUnit, Names) {
  EXPECT_EQ(time_unit_of("days"), days);
  EXPECT_EQ(time_unit_of("MINUTES"), minutes);
  EXPECT_EQ(time_unit_of("Years"), years);
  EXPECT_EQ(time_unit_of("day"), std::nullopt);
  EXPECT_EQ(time_unit_of(""), std::nullopt);
  EXPECT_EQ(time_unit_of("fortnights"), std::nullopt);
}

TEST(TimeUnit, MonthsClampToShorterOnes) {
  EXPECT_EQ(add_units(at(2024, 1, 31) + 5, 1, months), at(2024, 2, 29) + 5);
  EXPECT_EQ(add_units(at(2023, 1, 31), 1, months), at(2023, 2, 28));
  EXPECT_EQ(add_units(at(2024, 3, 31), -1, months), at(2024, 2, 29));
  EXPECT_EQ(add_units(at(2024, 2, 29), 1, years), at(2025, 2, 28));
  EXPECT_EQ(add_units(at(2024, 1, 15), -13, months), at(2022, 12, 15));
  EXPECT_EQ(units_between(at(2024, 1, 31), at(2024, 2, 29), months), 1);
  EXPECT_EQ(units_between(at(2024, 1, 31), at(2024, 2, 28), months), 0);
}

TEST(TimeUnit, BetweenIsTheFloor) {
  EXPECT_EQ(units_between(0, -1, days), -1);
  EXPECT_EQ(units_between(at(2024, 1, 1), at(2024, 1, 1) - 1, months), -1);
  EXPECT_EQ(units_between(at(2024, 1, 1), at(2023, 1, 1), years), -1);
  EXPECT_EQ(units_between(at(2010, 1, 1), at(2013, 12, 31), years), 3);
}

TEST(TimeUnit, CalendarStarts) {
  EXPECT_EQ(calendar_start(at(2015, 1, 2) + 7, weeks), at(2014, 12, 29));
  EXPECT_EQ(calendar_start(at(1969, 12, 31) + 7, weeks), at(1969, 12, 29));
  EXPECT_EQ(calendar_start(-1, days), -kDay);
  EXPECT_EQ(calendar_start(-1, months), at(1969, 12, 1));
  EXPECT_EQ(calendar_start(at(2024, 12, 31), years), at(2024, 1, 1));
}

TEST(TimeUnit, AnyNumberIsSafe) {
  for (const auto unit : {milliseconds, weeks, months, years}) {
    for (const Timestamp t : {Timestamp{0}, kTimestampMin, kTimestampMax, kAllTime.first, kAllTime.last}) {
      EXPECT_EQ(add_units(t, INT64_MAX, unit), kAllTime.last);
      EXPECT_EQ(add_units(t, INT64_MIN, unit), kAllTime.first);
    }
  }
}

// The window that contains the first time of all begins before it, and that of the last one ends behind it.
TEST(TimeUnit, NothingIsClampedAtTheEndsOfSamplesTimes) {
  EXPECT_EQ(add_units(kTimestampMax, 1, milliseconds), kTimestampMax + 1);
  EXPECT_EQ(add_units(kTimestampMin, -1, days), kTimestampMin - kDay);
  for (const auto unit : {days, weeks, months, years}) {
    EXPECT_LT(calendar_start(kTimestampMin, unit), kTimestampMin);
    EXPECT_GT(add_units(calendar_start(kTimestampMax, unit), 1, unit), kTimestampMax);
  }
  for (const Timestamp t : {kTimestampMin - 1, INT64_MIN}) EXPECT_EQ(nearest_timestamp(t), kTimestampMin);
  for (const Timestamp t : {kTimestampMax + 1, INT64_MAX}) EXPECT_EQ(nearest_timestamp(t), kTimestampMax);
  for (const Timestamp t : {kTimestampMin, Timestamp{7}, kTimestampMax}) EXPECT_EQ(nearest_timestamp(t), t);
}

TEST(TimeUnit, BetweenUndoesAddUnitsAnywhere) {
  std::mt19937_64 random(5);
  const Timestamp ends[] = {kTimestampMin, kTimestampMax, kAllTime.first / 2, kAllTime.last / 2, 0};
  for (int i = 0; i < 20'000; ++i) {
    const auto near = [&] { return ends[random() % 5] + static_cast<Timestamp>(random() % (8 * kDay)) - 4 * kDay; };
    const Timestamp from = near();
    const Timestamp to = near();
    for (const auto unit : {milliseconds, hours, days, weeks, months, years}) {
      const std::int64_t n = units_between(from, to, unit);
      ASSERT_LE(add_units(from, n, unit), to) << from << ' ' << to;
      ASSERT_GT(add_units(from, n + 1, unit), to) << from << ' ' << to;
    }
  }
}

TEST(TimeUnit, AgreesWithTheLibrarysCalendar) {
  using namespace std::chrono;
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto day = sys_days{std::chrono::days{static_cast<std::int64_t>(random() % 8'000'000) - 4'000'000}};
    const year_month_day date{day};
    const int n = static_cast<int>(random() % 4000) - 2000;
    year_month_day later = date + std::chrono::months{n};
    if (!later.ok()) later = later.year() / later.month() / last;
    const Timestamp from = day.time_since_epoch().count() * kDay;
    const Timestamp to = sys_days{later}.time_since_epoch().count() * kDay;
    ASSERT_EQ(add_units(from, n, TimeUnit::months), to);
    ASSERT_EQ(units_between(from, to, TimeUnit::months), n);
    const Timestamp month = sys_days{date.year() / date.month() / 1}.time_since_epoch().count() * kDay;
    ASSERT_EQ(calendar_start(from + 12345, TimeUnit::months), month);
  }
}

}  // namespace
}  // namespace varve::model
