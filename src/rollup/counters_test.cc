// SPDX-License-Identifier: Apache-2.0
#include "rollup/counters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rollup/testing/counter_samples.h"

namespace varve::rollup {
namespace {

using counter::AnySummary;
using counter::Declaration;
using WholeSummary = counter::Summary<std::uint64_t>;

constexpr std::int64_t kMinutes5 = 300'000, kHour = 3'600'000;
const Declaration kPolled{30'000, {.gap_ms = 90'000}, {}};

const WholeSummary& whole(const Window& window) { return std::get<WholeSummary>(window.counter->summary); }

TEST(Counters, CoarserWindowsSayWhatTheirSamplesDo) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    const testing::RandomCounter samples(random, 0, 30'000, 300, true);
    PartPool parts;
    const Windows fine = testing::windows_of(samples, kPolled, kMinutes5, parts);
    Windows hours;
    coarsen(fine, kHour, hours, parts);
    const Windows expected = testing::windows_of(samples, kPolled, kHour, parts);
    ASSERT_EQ(hours.size(), expected.size());
    for (std::size_t i = 0; i < hours.size(); ++i) {
      EXPECT_EQ(hours[i].counter->summary, expected[i].counter->summary);
      EXPECT_TRUE(hours[i].counter->exact);
    }
  }
}

Windows of(std::initializer_list<std::pair<model::Timestamp, double>> samples, bool longs, const Declaration* declared,
           PartPool& parts) {
  std::vector<model::Timestamp> times;
  std::vector<double> values;
  std::vector<std::uint64_t> bits;
  for (const auto& [time, value] : samples) {
    times.push_back(time);
    values.push_back(value);
    bits.push_back(longs ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                         : std::bit_cast<std::uint64_t>(value));
  }
  std::vector<Cut> cuts;
  Windows windows;
  cut(times, kMinutes5, cuts);
  fold(Numbers{times, values}, cuts, windows);
  if (declared != nullptr) add_counters({times, bits, longs}, *declared, cuts, windows, parts);
  return windows;
}

TEST(Counters, NaNIsNotThere) {
  PartPool parts;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Windows windows =
      of({{0, 1}, {30'000, kNan}, {60'000, 3}, {300'000, kNan}, {600'000, 5}}, false, &kPolled, parts);
  ASSERT_EQ(windows.size(), 2U);
  const auto& first = std::get<counter::Summary<double>>(windows[0].counter->summary);
  EXPECT_EQ(first.increase, 2);
  EXPECT_EQ(first.covered_ms, 60'000);
  EXPECT_EQ(std::get<counter::Summary<double>>(windows[1].counter->summary).first.time, 600'000);
}

TEST(Counters, CeilingsOfWrapsHoldFromTheirTimeOn) {
  PartPool parts;
  Declaration declared = kPolled;
  declared.rules.fall = counter::Fall::wrap32;
  declared.ceilings = {{0, 1000}, {60'000, 1}};
  constexpr double kEnd = 4294967296;
  const Windows windows =
      of({{0, kEnd - 100}, {30'000, 200}, {50'000, kEnd - 5}, {60'000, 0}, {90'000, 610}, {310'000, 700}}, true,
         &declared, parts);
  EXPECT_EQ(whole(windows[0]).increase, 300U + std::uint64_t{4294967091} + 5U + 610U)
      << "what did not fall is not too fast";
  EXPECT_EQ(whole(windows[0]).terms.rules.max_wrap_per_second, 1000);
  EXPECT_EQ(whole(windows[1]).terms.rules.max_wrap_per_second, 1);
  const Windows began_anew = of({{0, 1e9}, {30'000, 200}, {60'000, 300}}, true, &declared, parts);
  EXPECT_EQ(whole(began_anew[0]).increase, 100U);
}

TEST(Counters, WhatLacksAPartIsNotExact) {
  PartPool parts;
  const Windows told = of({{0, 0}, {30'000, 300}}, true, &kPolled, parts);
  const Windows untold = of({{300'000, 1}}, true, nullptr, parts);
  const Windows later = of({{600'000, 0}, {630'000, 100}}, true, &kPolled, parts);
  for (const Windows& finer : {Windows{told[0], untold[0], later[0]}, Windows{untold[0], later[0]}}) {
    Windows hours;
    coarsen(finer, kHour, hours, parts);
    ASSERT_EQ(hours.size(), 1U);
    ASSERT_NE(hours[0].counter, nullptr);
    EXPECT_FALSE(hours[0].counter->exact);
  }
  Windows hours;
  coarsen({untold[0]}, kHour, hours, parts);
  EXPECT_EQ(hours[0].counter, nullptr);
  Window one = untold[0];
  one.start = 0;
  combine(one, told[0], parts);
  EXPECT_FALSE(one.counter->exact);
  EXPECT_EQ(whole(one).increase, 300U);
}

TEST(Counters, LateSamplesAreAddedAtTheEnds) {
  PartPool parts;
  const Windows stored = of({{60'000, 100}, {90'000, 400}}, true, &kPolled, parts);
  const auto with = [&](model::Timestamp time, double value) {
    return merged(stored, of({{time, value}}, true, &kPolled, parts), parts).at(0);
  };
  EXPECT_EQ(whole(with(30'000, 50)).increase, 350U);
  EXPECT_TRUE(with(30'000, 50).counter->exact);
  EXPECT_EQ(whole(with(120'000, 450)).increase, 350U);
  EXPECT_EQ(whole(with(70'000, 150)).increase, 300U) << "nobody can tell what was between";
  EXPECT_FALSE(with(70'000, 150).counter->exact);
  EXPECT_EQ(with(70'000, 150).count, 3U);
}

TEST(Counters, PartsOutliveTheirPool) {
  PartPool kept;
  Window window;
  {
    PartPool parts;
    window = of({{0, 0}, {30'000, 300}}, true, &kPolled, parts)[0];
    own_parts(window, kept);
  }
  EXPECT_EQ(whole(window).increase, 300U);
}

}  // namespace
}  // namespace varve::rollup
