// SPDX-License-Identifier: Apache-2.0
// Lines between samples, computed by hand, and a comparison with the plainest way.
#include "aggregate/across.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "aggregate/fill.h"
#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

Status go_on() { return {}; }

std::vector<SeriesView> views_of(const std::vector<Points>& series) {
  std::vector<SeriesView> out;
  for (const Points& points : series) out.push_back(view_of(points));
  return out;
}

std::string joined(Reducer reducer, const std::vector<std::string>& in) {
  std::vector<Points> series;
  series.reserve(in.size());
  for (const std::string& text : in) series.push_back(points_of(text));
  const auto out = across(reducer, views_of(series), go_on);
  return out ? text_of(*out) : out.error().message;
}

TEST(Across, SameTimes) {
  EXPECT_EQ(joined(Reducer::sum, {}), "");
  EXPECT_EQ(joined(Reducer::sum, {"0:1 10:2"}), "0:1 10:2");
  EXPECT_EQ(joined(Reducer::sum, {"0:1 10:2", "0:10 10:20"}), "0:11 10:22");
  EXPECT_EQ(joined(Reducer::avg, {"0:1 10:2", "0:2 10:4"}), "0:1.5 10:3.0");
  EXPECT_EQ(joined(Reducer::dev, {"0:2", "0:4"}), "0:1.0");
  EXPECT_EQ(joined(Reducer::count, {"0:2 5:1", "0:4"}), "0:2 5:1");
  EXPECT_EQ(joined(Reducer::p50, {"0:1", "0:9", "0:5"}), "0:5.0");
}

TEST(Across, LinesBetweenSamples) {
  // a: 0→10 goes 1→3; b: 5→15 goes 10→20. At 5, a is 2; at 10, b is 15; at 0 and 15 only one of them is there.
  const std::vector<std::string> two = {"0:1 10:3", "5:10 15:20"};
  EXPECT_EQ(joined(Reducer::sum, two), "0:1 5:12.0 10:18.0 15:20");
  EXPECT_EQ(joined(Reducer::avg, two), "0:1.0 5:6.0 10:9.0 15:20.0");
  EXPECT_EQ(joined(Reducer::min, two), "0:1 5:2.0 10:3.0 15:20");
  EXPECT_EQ(joined(Reducer::max, two), "0:1 5:10.0 10:15.0 15:20");
  EXPECT_EQ(joined(Reducer::mult, two), "0:1.0 5:20.0 10:45.0 15:20.0");
  EXPECT_EQ(joined(Reducer::sum, {"0:0 30:3", "10:0 20:0"}), "0:0 10:1.0 20:2.0 30:3");
}

TEST(Across, NothingBetweenSamples) {
  const std::vector<std::string> two = {"0:1 10:3", "5:-10 10:20 15:4.5"};
  EXPECT_EQ(joined(Reducer::zimsum, two), "0:1 5:-10 10:23 15:4.5");
  EXPECT_EQ(joined(Reducer::mimmin, two), "0:1 5:-10 10:3 15:4.5");
  EXPECT_EQ(joined(Reducer::mimmax, two), "0:1 5:-10 10:20 15:4.5");
  EXPECT_EQ(joined(Reducer::count, two), "0:1 5:1 10:2 15:1");
  EXPECT_EQ(joined(Reducer::first, two), "0:1 5:-10 10:3 15:4.5");
  EXPECT_EQ(joined(Reducer::last, two), "0:1 5:-10 10:20 15:4.5");
}

TEST(Across, EmptyWindowsDoNotCount) {
  EXPECT_EQ(joined(Reducer::sum, {"0:1 10:- 20:3", "0:- 10:- 20:4"}), "0:1 10:- 20:7");
  EXPECT_EQ(joined(Reducer::min, {"0:- 10:2", "0:5 10:-"}), "0:5 10:2");
  EXPECT_EQ(joined(Reducer::count, {"0:-", "0:-"}), "0:-");
  // No line to or from a NaN.
  EXPECT_EQ(joined(Reducer::sum, {"0:1 20:-", "10:7"}), "0:1 10:7 20:-");
}

TEST(Across, ASumThatIsNoLongIsADouble) {
  EXPECT_EQ(joined(Reducer::sum, {"0:9223372036854775807", "0:1"}), "0:9223372036854775808.0");
}

TEST(Across, StopsWhenTold) {
  const std::vector<Points> series = {points_of("0:1"), points_of("0:1")};
  const auto out = across(Reducer::sum, views_of(series), []() -> Status { return fail(Code::cancelled, "enough"); });
  EXPECT_EQ(out.error().code, Code::cancelled);
}

// The same as filling each series first, as what is behind the last window of one is kept.
TEST(Across, FillsWindowsThatAreEmpty) {
  std::mt19937_64 random(6);
  constexpr model::TimeRange kRange{20, 400};
  const Windows windows({10, model::TimeUnit::milliseconds}, true, 0);
  std::vector<model::Timestamp> starts;
  for (model::Timestamp t = kRange.first; t < kRange.last; t += 10) starts.push_back(t);
  for (int round = 0; round < 120; ++round) {
    const bool with_zero = round % 2 == 0;
    std::vector<Points> series(round % 10 == 0 ? 300 : 1 + random() % 5), filled;
    for (Points& points : series) {
      for (model::Timestamp t = kRange.first; t < kRange.last + 10; t += 10) {
        if (random() % 3 == 0) continue;
        const bool is_long = random() % 8 != 0;
        const auto n = static_cast<std::int64_t>(random() % 1000);
        points.push(t, is_long ? model::ValueType::long_ : model::ValueType::double_,
                    is_long ? static_cast<std::uint64_t>(n) : std::bit_cast<std::uint64_t>(static_cast<double>(n) / 8));
      }
      filled.push_back(fill(windows, kRange, with_zero, points).value());
    }
    const Reducer reducer = std::array{Reducer::sum, Reducer::count, Reducer::min, Reducer::dev}[random() % 4];
    const auto out = across(reducer, views_of(series), go_on, {starts, with_zero});
    const auto want = across(reducer, views_of(filled), go_on);
    ASSERT_TRUE(out && want);
    ASSERT_EQ(text_of(*out), text_of(*want)) << round;
  }
}

TEST(Across, AsThePlainestWay) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    // Some rounds have more cells than the table, so that it is read in parts.
    const std::size_t count = round % 10 == 0 ? 300 : 1 + random() % 5;
    std::vector<Points> series(count);
    std::set<model::Timestamp> times;
    for (Points& points : series) {
      for (model::Timestamp t = 0; t < 200; ++t) {
        if (random() % 3 != 0) continue;
        points.times.push_back(t);
        points.bits.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(random() % 1000) / 8));
        times.insert(t);
      }
    }
    const Reducer reducer = std::array{Reducer::sum, Reducer::max, Reducer::zimsum, Reducer::p90}[random() % 4];
    const auto out = across(reducer, views_of(series), go_on);
    ASSERT_TRUE(out);
    ASSERT_EQ(out->times, std::vector(times.begin(), times.end()));
    for (std::size_t i = 0; i < out->size(); ++i) {
      const model::Timestamp t = out->times[i];
      std::vector<double> values;
      for (const Points& points : series) {
        const auto at = static_cast<std::size_t>(std::ranges::lower_bound(points.times, t) - points.times.begin());
        const auto value = [&](std::size_t j) { return std::bit_cast<double>(points.bits[j]); };
        if (at == points.size()) continue;
        if (points.times[at] == t) {
          values.push_back(value(at));
        } else if (interpolates(reducer) && at > 0) {
          const double part = static_cast<double>(t - points.times[at - 1]) /
                              static_cast<double>(points.times[at] - points.times[at - 1]);
          values.push_back(value(at - 1) + part * (value(at) - value(at - 1)));
        }
      }
      ASSERT_DOUBLE_EQ(std::bit_cast<double>(out->bits[i]), reduce(reducer, values)) << round << " " << t;
    }
  }
}

}  // namespace
}  // namespace varve::aggregate
