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
    EXPECT_EQ(add_units(0, INT64_MAX, unit), kTimestampMax);
    EXPECT_EQ(add_units(0, INT64_MIN, unit), kTimestampMin);
    EXPECT_LE(add_units(0, units_between(0, kTimestampMax, unit), unit), kTimestampMax);
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
