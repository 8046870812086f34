// SPDX-License-Identifier: Apache-2.0
#include "aggregate/windows.h"

#include <gtest/gtest.h>

#include "model/testing/lengths.h"

namespace varve::aggregate {
namespace {

using model::TimeUnit;
constexpr model::Timestamp kStart = 1'700'000'000'000;  // 2023-11-14T22:13:20Z
using model::testing::kDay;

struct WindowCase {
  const char* what;
  Sampling sampling;
  bool align;
  model::Timestamp query_start;
  model::Timestamp sample;
  model::Timestamp window_start;
};

class WindowsTest : public testing::TestWithParam<WindowCase> {};

TEST_P(WindowsTest, HoldsTheSample) {
  const WindowCase& c = GetParam();
  const Windows windows(c.sampling, c.align, c.query_start);
  const std::int64_t k = windows.index(c.sample);
  EXPECT_EQ(windows.start(k), c.window_start);
  EXPECT_GT(windows.start(k + 1), c.sample);
}

INSTANTIATE_TEST_SUITE_P(
    All, WindowsTest,
    testing::Values(
        WindowCase{"7 minutes from midnight",
                   {7, TimeUnit::minutes},
                   true,
                   kStart + 90'000,
                   kStart + 120'000,
                   1'699'999'800'000},
        WindowCase{"7 minutes from the start",
                   {7, TimeUnit::minutes},
                   false,
                   kStart + 90'000,
                   kStart + 520'000,
                   kStart + 510'000},
        WindowCase{"5 hours run on over midnight",
                   {5, TimeUnit::hours},
                   true,
                   kStart,
                   kStart + 2 * kDay + 3'600'000,
                   1'700'172'000'000},
        WindowCase{"5 ms from the whole second", {5, TimeUnit::milliseconds}, true, kStart + 3, kStart + 4, kStart},
        WindowCase{"5 ms from the start", {5, TimeUnit::milliseconds}, false, kStart + 3, kStart + 9, kStart + 8},
        WindowCase{
            "weeks from Monday", {1, TimeUnit::weeks}, true, 1'420'156'800'000, 1'420'329'600'000, 1'419'811'200'000},
        WindowCase{"two weeks", {2, TimeUnit::weeks}, true, 1'420'156'800'000, 1'421'107'200'000, 1'421'020'800'000},
        WindowCase{"3 months", {3, TimeUnit::months}, true, 1'388'534'400'000, 1'404'900'000'000, 1'404'172'800'000},
        WindowCase{"months from the 10th",
                   {1, TimeUnit::months},
                   false,
                   1'394'409'600'000,
                   1'397'088'000'000,
                   1'397'088'000'000},
        WindowCase{"leap year", {1, TimeUnit::years}, true, 1'262'304'000'000, 1'356'998'399'999, 1'325'376'000'000},
        WindowCase{"negative times", {1, TimeUnit::minutes}, true, -10'000, -1, -60'000},
        WindowCase{"negative months", {1, TimeUnit::months}, true, -10'000, -1, -31 * kDay},
        WindowCase{"before the start", {10, TimeUnit::milliseconds}, false, 100, 85, 80},
        WindowCase{"months before the start",
                   {1, TimeUnit::months},
                   true,
                   1'397'088'000'000,
                   1'394'409'600'000,
                   1'393'632'000'000},
        WindowCase{"wider than time", {INT64_MAX, TimeUnit::days}, true, 5, kStart, 0},
        WindowCase{"days from the beginning of time",
                   {1, TimeUnit::days},
                   true,
                   model::kTimestampMin,
                   kStart,
                   1'699'920'000'000}));

struct ZoneCase {
  const char* what;
  const char* zone;
  Sampling sampling;
  bool align;
  model::Timestamp query_start;
  model::Timestamp sample;
  model::Timestamp window_start;
  model::Timestamp window_end;
};

TEST(Windows, OfAZone) {
  const ZoneCase cases[] = {
      {"a day of 23 hours",
       "Europe/Paris",
       {1, TimeUnit::days},
       true,
       1'396'047'600'000,
       1'396'216'799'999,
       1'396'134'000'000,
       1'396'216'800'000},
      {"a day of 25 hours",
       "Europe/Paris",
       {1, TimeUnit::days},
       true,
       1'414'200'000'000,
       1'414'364'399'999,
       1'414'274'400'000,
       1'414'364'400'000},
      {"Auckland's midnight",
       "Pacific/Auckland",
       {1, TimeUnit::days},
       true,
       kStart,
       kStart,
       1'699'959'600'000,
       1'700'046'000'000},
      {"months",
       "Europe/Paris",
       {1, TimeUnit::months},
       true,
       1'388'534'400'000,
       1'396'300'000'000,
       1'393'628'400'000,
       1'396'303'200'000},
      {"weeks from Monday",
       "America/New_York",
       {1, TimeUnit::weeks},
       true,
       kStart,
       kStart,
       1'699'851'600'000,
       1'700'456'400'000},
      {"hours run on over the change",
       "Europe/Paris",
       {6, TimeUnit::hours},
       true,
       1'396'134'000'000,
       1'396'216'800'000,
       1'396'198'800'000,
       1'396'220'400'000},
      {"hours count from the zone's midnight",
       "Asia/Kathmandu",
       {1, TimeUnit::hours},
       true,
       kStart,
       kStart,
       1'699'999'200'000 - 2'700'000,
       1'699'999'200'000 + 900'000},
      {"days from the query's start",
       "Europe/Paris",
       {1, TimeUnit::days},
       false,
       1'396'051'200'000,
       1'396'137'600'000,
       1'396'137'600'000,
       1'396'220'400'000},
      {"no midnight",
       "America/Santiago",
       {1, TimeUnit::days},
       true,
       1'662'782'400'000,
       1'662'868'800'000,
       1'662'868'800'000,
       1'662'951'600'000},
  };
  for (const ZoneCase& c : cases) {
    const Windows windows(c.sampling, c.align, c.query_start, model::TimeZone::find(c.zone).value());
    const std::int64_t k = windows.index(c.sample);
    EXPECT_EQ(windows.start(k), c.window_start) << c.what;
    EXPECT_EQ(windows.start(k + 1), c.window_end) << c.what;
  }
}

// Whatever their width and zone, at the ends of samples' times as anywhere: each sample is in one window, which ends
// behind it, and whose neighbours do not overlap it.
TEST(Windows, HoldTheFirstAndTheLastSampleThatThereCanBe) {
  using enum TimeUnit;
  const Sampling widths[] = {{1, milliseconds},  {7, milliseconds},  {INT64_MAX, milliseconds},
                             {1, seconds},       {7, minutes},       {9'223'372'036'855, minutes},
                             {5, hours},         {1, days},          {86'400'000, days},
                             {3, weeks},         {1, months},        {59'999, months},
                             {1, years},         {300'000, years},   {INT32_MAX, years},
                             {INT64_MAX, years}, {INT64_MAX, weeks}, {253'402'300'800'000, seconds}};
  const model::Timestamp times[] = {
      model::kTimestampMin,     model::kTimestampMin + 1, model::kTimestampMin + kDay, -1, 0, kStart,
      model::kTimestampMax - 1, model::kTimestampMax};
  for (const char* name : {"", "Europe/Paris", "America/New_York", "Pacific/Apia", "+14:00", "-03:30"}) {
    const model::TimeZone zone = model::TimeZone::find(name).value();
    for (const Sampling& width : widths) {
      for (const model::Timestamp start : times) {
        for (const bool align : {false, true}) {
          const Windows windows(width, align, start, zone);
          for (const model::Timestamp t : times) {
            const std::int64_t k = windows.index(t);
            ASSERT_LE(windows.start(k), t) << name << ' ' << width.value << ' ' << static_cast<int>(width.unit);
            ASSERT_GT(windows.start(k + 1), t) << name << ' ' << width.value << ' ' << static_cast<int>(width.unit);
            ASSERT_EQ(windows.index(windows.start(k)), k) << name << ' ' << width.value << " from " << start;
          }
        }
      }
    }
  }
}

// What windows may be filled from: stretches of hours fit where a zone's midnight is a whole hour of UTC.
TEST(Windows, MadeOfStretches) {
  using model::testing::kHour;
  const model::TimeRange week{1'396'051'200'000, 1'396'051'200'000 + 7 * kDay};
  const auto made = [&](const char* zone, Sampling sampling, std::int64_t width) {
    return Windows(sampling, true, week.first, model::TimeZone::find(zone).value()).are_made_of(width, week);
  };
  EXPECT_TRUE(made("", {1, TimeUnit::days}, kDay));
  EXPECT_TRUE(made("", {1, TimeUnit::months}, kDay));
  EXPECT_FALSE(made("", {1, TimeUnit::hours}, kDay));
  EXPECT_FALSE(made("", {7, TimeUnit::minutes}, 600'000));
  EXPECT_TRUE(made("Europe/Paris", {1, TimeUnit::days}, kHour));
  EXPECT_FALSE(made("Europe/Paris", {1, TimeUnit::days}, kDay));
  EXPECT_FALSE(made("Asia/Kathmandu", {1, TimeUnit::days}, kHour));
  EXPECT_TRUE(made("Asia/Kathmandu", {1, TimeUnit::days}, 900'000));
  EXPECT_FALSE(made("Asia/Kathmandu", {1, TimeUnit::hours}, kHour));
  EXPECT_TRUE(made("Asia/Kathmandu", {1, TimeUnit::years}, kDay)) << "no year begins in that week";
  const model::TimeRange long_range{0, 400 * kDay};
  EXPECT_FALSE(Windows({1, TimeUnit::days}, true, 0, model::TimeZone::find("Europe/Paris").value())
                   .are_made_of(kHour, long_range))
      << "too many to look at";
}

}  // namespace
}  // namespace varve::aggregate
