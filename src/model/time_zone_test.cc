// SPDX-License-Identifier: Apache-2.0
#include "model/time_zone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/testing/effort.h"

namespace varve::model {
namespace {

constexpr std::int64_t kHour = 3'600'000;

TimeZone zone(std::string_view name) {
  const auto found = TimeZone::find(name);
  EXPECT_TRUE(found) << name << ": " << found.error().message;
  return found.value_or(TimeZone());
}

TEST(TimeZone, Names) {
  for (const char* name : {"", "UTC", "Etc/UTC", "GMT", "Zulu", "Z", "+00:00", "-00"})
    EXPECT_TRUE(zone(name).is_utc()) << name;
  EXPECT_FALSE(zone("Europe/Paris").is_utc());
  EXPECT_EQ(zone("Europe/Paris"), zone("Europe/Paris"));
  EXPECT_EQ(zone("+05:45").to_local(0), 5 * kHour + 45 * 60'000);
  EXPECT_EQ(zone("-0330").to_local(0), -(3 * kHour + 30 * 60'000));
  EXPECT_EQ(zone("+02").to_utc(2 * kHour), 0);
  for (const char* name : {"Mars/Olympus", "europe/paris", "Europe/Paris ", "Europe", "../zoneinfo/Europe/Paris",
                           "/usr/share/zoneinfo/Europe/Paris", "posix/Europe/Paris", "right/UTC", "localtime",
                           "tzdata.zi", "+24:00", "+1", "+01:60", "+01:", "+", "01:00", "+0x:00"}) {
    const auto found = TimeZone::find(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, Code::not_found) << name;
  }
  const auto names = TimeZone::names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_GT(names.size(), 400U);
  for (const char* name : {"Africa/Abidjan", "Zulu", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST"}) {
    EXPECT_TRUE(std::ranges::binary_search(names, name)) << name;
  }
  EXPECT_FALSE(std::ranges::binary_search(names, "posixrules"));
}

struct Case {
  const char* what;
  const char* zone;
  Timestamp from;
  std::int64_t n;
  TimeUnit unit;
  Timestamp to;
};

TEST(TimeZone, Calendar) {
  constexpr TimeUnit kDays = TimeUnit::days;
  const Case cases[] = {
      {"a day of 23 hours", "Europe/Paris", 1'396'134'000'000, 1, kDays, 1'396'216'800'000},
      {"a day of 25 hours", "Europe/Paris", 1'414'274'400'000, 1, kDays, 1'414'364'400'000},
      {"hours are exact", "Europe/Paris", 1'396'134'000'000, 24, TimeUnit::hours, 1'396'220'400'000},
      {"months", "Europe/Paris", 1'388'530'800'000, 3, TimeUnit::months, 1'396'303'200'000},
      {"years", "Pacific/Auckland", 1'388'487'600'000, 1, TimeUnit::years, 1'420'023'600'000},
      {"weeks, back", "America/New_York", 1'394'424'000'000, -1, TimeUnit::weeks, 1'393'822'800'000},
      {"half past two is skipped", "Europe/Paris", 1'396'056'600'000, 1, kDays, 1'396'143'000'000},
      {"midnight is skipped", "America/Santiago", 1'662'782'400'000, 1, kDays, 1'662'868'800'000},
      {"the day after that", "America/Santiago", 1'662'782'400'000, 2, kDays, 1'662'951'600'000},
      {"midnight comes twice: the first", "America/Havana", 1'667'620'800'000, 1, kDays, 1'667'707'200'000},
      {"and the day is longer", "America/Havana", 1'667'620'800'000, 2, kDays, 1'667'797'200'000},
  };
  for (const Case& c : cases) {
    const TimeZone there = zone(c.zone);
    EXPECT_EQ(add_units(c.from, c.n, c.unit, there), c.to) << c.what;
    EXPECT_EQ(units_between(c.from, c.to, c.unit, there), c.n) << c.what;
    EXPECT_EQ(units_between(c.from, c.to - 1, c.unit, there), c.n - 1) << c.what;
  }
  EXPECT_EQ(calendar_start(1'396'170'000'000, kDays, zone("Europe/Paris")), 1'396'134'000'000);
  EXPECT_EQ(calendar_start(1'396'170'000'000, TimeUnit::months, zone("Europe/Paris")), 1'393'628'400'000);
  EXPECT_EQ(calendar_start(1'662'868'800'001, kDays, zone("America/Santiago")), 1'662'868'800'000);
}

// n units after any time is the largest n that is not after it, over changes of the clock, odd zones and far away.
TEST(TimeZone, UnitsBetweenUndoesAddUnits) {
  std::mt19937_64 random(3);
  for (const char* name : {"Europe/Paris", "America/Santiago", "America/Havana", "Australia/Lord_Howe", "Pacific/Apia",
                           "Asia/Kathmandu", "America/Sao_Paulo", "Africa/Monrovia", "-11:30"}) {
    const TimeZone there = zone(name);
    for (int i = 0; i < 3000; ++i) {
      const auto from = static_cast<Timestamp>(random() % 3'000'000'000'000) - 1'000'000'000'000;
      const auto to = from + static_cast<Timestamp>(random() % 200'000'000'000);
      const auto unit = static_cast<TimeUnit>(4 + random() % 4);
      const std::int64_t n = units_between(from, to, unit, there);
      ASSERT_LE(add_units(from, n, unit, there), to) << name << ' ' << from << ' ' << to;
      ASSERT_GT(add_units(from, n + 1, unit, there), to) << name << ' ' << from << ' ' << to;
    }
    for (const Timestamp end : {kTimestampMin + 1'000'000'000'000, kTimestampMax - 1'000'000'000'000}) {
      EXPECT_EQ(there.to_utc(there.to_local(end)), end) << name;
    }
  }
}

// In each zone that there is, at the ends of samples' times as over the changes of its clocks.
TEST(TimeZone, UnitsBetweenUndoesAddUnitsInEveryZone) {
  std::mt19937_64 random(4);
  constexpr Timestamp kCenturyMs = 36'525 * kDayMs;
  auto names = TimeZone::names();
  names.insert(names.end(), {"+14:00", "-12:00", "+23:59", "-23:59"});
  for (const std::string& name : names) {
    const TimeZone there = zone(name);
    for (int i = 0; i < ::varve::testing::effort(120); ++i) {
      const Timestamp middle[] = {kTimestampMin, kTimestampMax, 0};
      const auto near = [&](Timestamp within) {
        return middle[i % 3] + static_cast<Timestamp>(random() % static_cast<std::uint64_t>(2 * within)) - within;
      };
      const Timestamp from = near(kCenturyMs);
      const Timestamp to = near(i % 2 == 0 ? kCenturyMs : 3 * kDayMs);
      for (const TimeUnit unit :
           {TimeUnit::hours, TimeUnit::days, TimeUnit::weeks, TimeUnit::months, TimeUnit::years}) {
        const std::int64_t n = units_between(from, to, unit, there);
        ASSERT_LE(add_units(from, n, unit, there), to) << name << ' ' << from << ' ' << to;
        ASSERT_GT(add_units(from, n + 1, unit, there), to) << name << ' ' << from << ' ' << to;
        if (unit >= TimeUnit::days) {
          ASSERT_LE(calendar_start(to, unit, there), to) << name << ' ' << to;
        }
      }
    }
  }
}

// Each window has its end behind it, also where a day is skipped or comes twice.
TEST(TimeZone, WindowsFollowOneAnotherOverEveryChange) {
  for (const char* name : {"Pacific/Apia", "Pacific/Kwajalein", "America/Juneau", "Asia/Manila", "Europe/Paris",
                           "America/Havana", "Africa/Monrovia"}) {
    const TimeZone there = zone(name);
    const Timestamp from = calendar_start(-4'000'000'000'000, TimeUnit::days, there);
    for (Timestamp to = from; to < 2'000'000'000'000; to += 11 * kHour * ::varve::testing::kOneOf) {
      const std::int64_t n = units_between(from, to, TimeUnit::days, there);
      ASSERT_LE(add_units(from, n, TimeUnit::days, there), to) << name << ' ' << to;
      ASSERT_GT(add_units(from, n + 1, TimeUnit::days, there), to) << name << ' ' << to;
    }
  }
}

TEST(TimeZone, NamesOfUtc) {
  for (const char* name : {"", "UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z"}) {
    EXPECT_TRUE(is_utc_name(name, UtcNames::common)) << name;
    EXPECT_TRUE(is_utc_name(name, UtcNames::all)) << name;
  }
  for (const char* name : {"Zulu", "UCT", "Universal", "Etc/Zulu", "Etc/Greenwich"}) {
    EXPECT_FALSE(is_utc_name(name, UtcNames::common)) << name;
    EXPECT_TRUE(is_utc_name(name, UtcNames::all)) << name;
  }
  for (const char* name : {"utc", "Europe/London", "+00:00"}) EXPECT_FALSE(is_utc_name(name, UtcNames::all)) << name;
}

}  // namespace
}  // namespace varve::model
