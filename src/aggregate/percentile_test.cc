// SPDX-License-Identifier: Apache-2.0
#include "aggregate/percentile.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

std::string percentile_of(double fraction, const std::string& points, Sampling sampling = {1, model::TimeUnit::days},
                          Stamp stamp = Stamp::sample) {
  Percentile percentile;
  percentile.fraction = fraction;
  percentile.sampling = sampling;
  percentile.stamp = stamp;
  return text_of(apply(percentile, {}, points_of(points)).value());
}

TEST(Percentile, BetweenSamples) {
  const std::string ten = "1:10 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:1";
  const std::pair<double, const char*> cases[] = {{.05, "1:1.0"},  {.1, "1:1.1"},   {.25, "1:2.75"},
                                                  {.5, "1:5.5"},   {.75, "1:8.25"}, {.9, "1:9.9"},
                                                  {.95, "1:10.0"}, {.99, "1:10.0"}, {1, "1:10.0"}};
  for (const auto& [fraction, value] : cases) EXPECT_EQ(percentile_of(fraction, ten), value) << fraction;
  EXPECT_EQ(percentile_of(.5, "1:7"), "1:7.0");
  EXPECT_EQ(percentile_of(.5, "1:7 2:9.0"), "1:8.0");
  EXPECT_EQ(percentile_of(.5, "1:- 2:9.0 3:null"), "2:9.0") << "what is no number is not there";
  EXPECT_EQ(percentile_of(.5, "1:- 2:null"), "");
  EXPECT_EQ(percentile_of(.5, ""), "");
}

TEST(Percentile, Windows) {
  EXPECT_EQ(percentile_of(.5, "1:1 2:3 11:5 35:7", {10, model::TimeUnit::milliseconds}), "1:2.0 11:5.0 35:7.0");
  EXPECT_EQ(percentile_of(.5, "1:1 2:3 11:5 35:7", {10, model::TimeUnit::milliseconds}, Stamp::window_start),
            "0:2.0 10:5.0 30:7.0");
  EXPECT_EQ(percentile_of(.5, "1:1 2:3 11:5 35:7", {10, model::TimeUnit::milliseconds}, Stamp::window_end),
            "10:2.0 20:5.0 40:7.0");
}

}  // namespace
}  // namespace varve::aggregate
