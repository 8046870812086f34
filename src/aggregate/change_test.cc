// SPDX-License-Identifier: Apache-2.0
#include "aggregate/change.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

using model::TimeUnit;

std::string rate_of(const std::string& points, Sampling per, const char* zone = "") {
  const auto made = apply(Rate{per, model::TimeZone::find(zone).value()}, Scope{}, points_of(points));
  return made ? text_of(*made) : made.error().message;
}
std::string sampler_of(const std::string& points, TimeUnit unit) {
  const auto made = apply(Sampler{{1, unit}, {}}, Scope{}, points_of(points));
  return made ? text_of(*made) : made.error().message;
}

TEST(Diff, OfNeighbours) {
  const auto diff = [](const std::string& points) { return text_of(apply(Diff{}, points_of(points)).value()); };
  EXPECT_EQ(diff("0:10 1:10 2:5 3:20 4:40.5"), "1:0.0 2:-5.0 3:15.0 4:20.5");
  EXPECT_EQ(diff("1:10 1:15 2:5 2:20 3:30"), "1:5.0 2:-10.0 2:15.0 3:10.0") << "equal times are two samples";
  EXPECT_EQ(diff("3:10 2:15 1:5"), "2:5.0 1:-10.0") << "backwards in time";
  EXPECT_EQ(diff("0:9007199254740993 1:9007199254740992"), "1:-1.0") << "no double holds the first";
  EXPECT_EQ(diff("0:1 5:null 10:4"), "10:3.0");
  EXPECT_EQ(diff("7:1"), "");
  EXPECT_EQ(diff(""), "");
}

TEST(Rate, PerUnit) {
  EXPECT_EQ(rate_of("0:10 1000:20 3000:30 4000:5", {1, TimeUnit::seconds}), "1000:10.0 3000:5.0 4000:-25.0");
  EXPECT_EQ(rate_of("0:10 1000:20", {1, TimeUnit::milliseconds}), "1000:0.01");
  EXPECT_EQ(rate_of("0:10 1000:20", {2, TimeUnit::minutes}), "1000:1200.0");
  EXPECT_EQ(rate_of("4000:5 3000:30 1000:20 0:10", {1, TimeUnit::seconds}), "3000:-25.0 1000:5.0 0:10.0");
  EXPECT_EQ(rate_of("0:10", {1, TimeUnit::seconds}), "");
  EXPECT_EQ(rate_of("0:10 1000:null 2000:30", {1, TimeUnit::seconds}), "2000:10.0");
  EXPECT_EQ(
      rate_of("0:1 0:5", {1, TimeUnit::seconds}),
      "The rate aggregator cannot compute rate for data points with the same time stamp.  You must precede rate with "
      "another aggregator.");
}

// One sample a day and one more: a month has as many as it has days.
TEST(Rate, KnowsTheCalendar) {
  EXPECT_EQ(rate_of("0:0 86400000:1 172800000:2", {1, TimeUnit::months}), "86400000:31.0 172800000:31.0");
  EXPECT_EQ(rate_of("2678400000:0 2764800000:1", {1, TimeUnit::months}), "2764800000:28.0") << "February 1970";
  EXPECT_EQ(rate_of("0:0 86400000:1", {1, TimeUnit::years}), "86400000:365.0");
  EXPECT_EQ(rate_of("1396134000000:0 1396137600000:1", {1, TimeUnit::days}), "1396137600000:24.0");
  EXPECT_EQ(rate_of("1396134000000:0 1396137600000:1", {1, TimeUnit::days}, "Europe/Paris"), "1396137600000:23.0");
  EXPECT_EQ(rate_of("1396134000000:0 1396137600000:1", {24, TimeUnit::hours}, "Europe/Paris"), "1396137600000:24.0");
}

TEST(Sampler, PerUnit) {
  EXPECT_EQ(sampler_of("1:10 2:20 3:30 4:40", TimeUnit::milliseconds), "2:20.0 3:30.0 4:40.0");
  EXPECT_EQ(sampler_of("1:10 2:10 4:10 6:20", TimeUnit::milliseconds), "2:10.0 4:5.0 6:10.0");
  EXPECT_EQ(sampler_of("0:1 500:10", TimeUnit::seconds), "500:20.0");
  EXPECT_EQ(sampler_of("5:1", TimeUnit::seconds), "");
  EXPECT_EQ(
      sampler_of("5:1 5:2", TimeUnit::seconds),
      "The sampler aggregator cannot compute rate for data points with the same time stamp.  You must precede sampler "
      "with another aggregator.");
}

}  // namespace
}  // namespace varve::aggregate
