// SPDX-License-Identifier: Apache-2.0
#include "counter/bins.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace varve::counter {
namespace {

struct Case {
  const char* what;
  const char* samples;  // "seconds:value …"
  std::int64_t width_s;
  Rules rules;
  const char* bins;  // "seconds:increase(covered seconds) …"
};

constexpr std::int64_t kFrequencyMs = 30'000;
constexpr Rules kPolled{3 * kFrequencyMs};

std::string bins_text(const char* samples, std::int64_t width_s, const Rules& rules) {
  std::istringstream in(samples);
  double seconds = 0;
  std::uint64_t value = 0;
  char colon = 0;
  std::optional<Sample<std::uint64_t>> before;
  Bins<std::uint64_t> bins;
  while (in >> seconds >> colon >> value) {
    const Sample<std::uint64_t> sample{static_cast<std::int64_t>(seconds * 1000), value};
    const auto interval = before ? interval_between(*before, sample, rules) : std::nullopt;
    if (interval) add_to_bins(*interval, width_s * 1000, bins);
    before = sample;
  }
  std::ostringstream out;
  for (const auto& bin : bins) {
    out << (out.tellp() == 0 ? "" : " ") << bin.start / 1000 << ":" << bin.increase << "("
        << static_cast<double>(bin.covered_ms) / 1000 << ")";
  }
  return out.str();
}

TEST(Bins, ByTheRuleOfTheFloor) {
  const Case cases[] = {
      {"a bin and a half", "10:0 40:300", 30, kPolled, "0:200(20) 30:100(10)"},
      {"one unit", "0:0 60:1", 30, kPolled, "0:0(30) 30:1(30)"},
      {"zero is known", "5:777 35:777", 30, kPolled, "0:0(25) 30:0(5)"},
      {"exactly the gap limit", "0:0 90:100", 30, kPolled, "0:33(30) 30:33(30) 60:34(30)"},
      {"longer than that", "0:0 91:1000", 30, kPolled, ""},
      {"a fall", "0:5000 30:6000 60:100 90:400", 30, kPolled, "0:1000(30) 60:300(30)"},
      {"a fall to zero",
       "0:5000 30:6000 60:100 90:400",
       30,
       {90'000, Fall::from_zero},
       "0:1000(30) 30:100(30) 60:300(30)"},
      {"32 bits", "0:4294967000 30:704", 30, {90'000, Fall::wrap32}, "0:1000(30)"},
      {"no 32 bits", "0:4294967296 30:704", 30, {90'000, Fall::wrap32}, ""},
      {"too fast", "0:0 30:301 60:600 90:900", 30, {90'000, Fall::unknown, 10}, "30:299(30) 60:300(30)"},
      {"at a third", "31:100 62:213", 30, kPolled, "30:105(29) 60:8(2)"},
      {"across an edge", "90:100 121:200", 30, kPolled, "90:96(30) 120:4(1)"},
      {"from before to behind", "89:100 181:200", 30, {120'000}, "60:1(1) 90:32(30) 120:33(30) 150:32(30) 180:2(1)"},
      {"three of a second", "15:0 45:3", 30, kPolled, "0:1(15) 30:2(15)"},
      {"few units over long", "10:0 95:7", 30, kPolled, "0:1(20) 30:3(30) 60:2(30) 90:1(5)"},
      {"not yet a gap", "20:0 110:100", 30, kPolled, "0:11(10) 30:33(30) 60:33(30) 90:23(20)"},
      {"wide bins", "1386369693:141368641534364 1386369719:141368891281597", 30'000, kPolled,
       "1386360000:249747233(26)"},
      {"less than a bin", "3:0 13:100 23:150", 30, kPolled, "0:150(20)"},
      {"wide for its frequency", "100:7 400:10", 300, {900'000}, "0:2(200) 300:1(100)"},
      {"before 1970", "-40:0 -10:300", 30, kPolled, "-60:100(10) -30:200(20)"},
      {"all 64 bits", "0:0 30:18446744073709551615", 10, kPolled,
       "0:6148914691236517205(10) 10:6148914691236517205(10) 20:6148914691236517205(10)"},
  };
  for (const Case& one : cases) EXPECT_EQ(bins_text(one.samples, one.width_s, one.rules), one.bins) << one.what;
}

TEST(Bins, WidthsAgree) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    const auto begin = static_cast<std::int64_t>(random() % 10'000'000) - 5'000'000;
    const Interval<std::uint64_t> interval{begin, begin + 1 + static_cast<std::int64_t>(random() % 100'000),
                                           random() >> random() % 64};
    const std::int64_t narrow = 1 + static_cast<std::int64_t>(random() % 5'000),
                       times = 1 + static_cast<std::int64_t>(random() % 9);
    Bins<std::uint64_t> fine, wide;
    add_to_bins(interval, narrow, fine);
    add_to_bins(interval, narrow * times, wide);
    Bins<std::uint64_t> summed;
    std::uint64_t all = 0;
    for (const auto& bin : fine) {
      const auto start = model::window_start(bin.start, narrow * times);
      if (summed.empty() || summed.back().start != start) summed.push_back({start, 0, 0});
      summed.back().increase += bin.increase;
      summed.back().covered_ms += bin.covered_ms;
      all += bin.increase;
    }
    EXPECT_EQ(all, interval.increase);
    ASSERT_EQ(summed.size(), wide.size());
    for (std::size_t i = 0; i < wide.size(); ++i) {
      EXPECT_EQ(summed[i].start, wide[i].start);
      EXPECT_EQ(summed[i].increase, wide[i].increase);
      EXPECT_EQ(summed[i].covered_ms, wide[i].covered_ms);
    }
  }
}

TEST(Bins, RealValuesAreSplitInProportion) {
  Bins<double> bins;
  add_to_bins(Interval<double>{5'000, 25'000, 1.0}, 10'000, bins);
  ASSERT_EQ(bins.size(), 3U);
  EXPECT_DOUBLE_EQ(bins[0].increase, 0.25);
  EXPECT_DOUBLE_EQ(bins[1].increase, 0.5);
  EXPECT_DOUBLE_EQ(bins[2].increase, 0.25);
  EXPECT_DOUBLE_EQ(rate_of(bins[1].increase, bins[1].covered_ms), 0.05);
}

TEST(Bins, AtTheEndOfTime) {
  constexpr auto kLast = std::numeric_limits<model::Timestamp>::max();
  Bins<std::uint64_t> bins;
  add_to_bins(Interval<std::uint64_t>{kLast - 10, kLast, 10}, 60'000, bins);
  ASSERT_EQ(bins.size(), 1U);
  EXPECT_EQ(bins[0].increase, 10U);
}

TEST(Intervals, SignedAndReal) {
  using Long = Sample<std::int64_t>;
  const Rules rules{60'000, Fall::from_zero};
  EXPECT_EQ(interval_between(Long{0, -5}, Long{1000, 3}, rules)->increase, 8U);
  EXPECT_EQ(interval_between(Long{0, INT64_MIN}, Long{1000, INT64_MAX}, rules)->increase, UINT64_MAX);
  EXPECT_EQ(interval_between(Long{0, 5}, Long{1000, -3}, rules), std::nullopt) << "it cannot have begun at 0";
  using Real = Sample<double>;
  EXPECT_EQ(interval_between(Real{0, 0.25}, Real{1000, 1}, rules)->increase, 0.75);
  EXPECT_EQ(interval_between(Real{0, 2}, Real{1000, 0.5}, rules)->increase, 0.5);
  EXPECT_EQ(interval_between(Real{0, 2}, Real{1000, std::numeric_limits<double>::quiet_NaN()}, rules), std::nullopt);
  EXPECT_EQ(interval_between(Real{0, 0}, Real{1000, std::numeric_limits<double>::infinity()}, rules), std::nullopt);
  EXPECT_EQ(interval_between(Long{INT64_MIN, 0}, Long{INT64_MAX, 1}, rules), std::nullopt) << "a gap of all time";
}

TEST(Intervals, BreaksLieBehindTheBegin) {
  const model::Timestamp breaks[] = {10, 20};
  EXPECT_TRUE(broken(breaks, 5, 10)) << "the sample of 10 is the first after it";
  EXPECT_FALSE(broken(breaks, 10, 19));
  EXPECT_TRUE(broken(breaks, 10, 20));
  EXPECT_TRUE(broken(breaks, 0, 100));
  EXPECT_FALSE(broken(breaks, 20, 100));
  EXPECT_FALSE(broken({}, 0, 100));
}

}  // namespace
}  // namespace varve::counter
