// SPDX-License-Identifier: Apache-2.0
#include "aggregate/reducer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace varve::aggregate {
namespace {

struct Case {
  std::string name;
  std::vector<double> values;
  double expected;
};

class ReducerCase : public testing::TestWithParam<Case> {};

TEST_P(ReducerCase, Doubles) {
  const auto reducer = reducer_of(GetParam().name);
  std::vector<double> values = GetParam().values;
  EXPECT_NEAR(reduce(reducer.value(), values), GetParam().expected, 1e-9);
}

std::vector<double> ten_thousand() {
  std::vector<double> out;
  out.reserve(10'000);
  for (int i = 0; i < 10'000; ++i) out.push_back(i);
  return out;
}

const std::vector<double> five = {40, 15, 50, 20, 35};

INSTANTIATE_TEST_SUITE_P(
    Of, ReducerCase,
    testing::Values(Case{"sum", {1, 2, 3.5}, 6.5}, Case{"zimsum", {-1, 1}, 0}, Case{"avg", {1, 2}, 1.5},
                    Case{"min", {3, -2, 1}, -2}, Case{"mimmin", {-5, -3}, -5}, Case{"max", {-5, -3}, -3},
                    Case{"mimmax", {2, 9, 4}, 9}, Case{"dev", {2, 4, 4, 4, 5, 5, 7, 9}, 2}, Case{"dev", {7}, 0},
                    Case{"dev", ten_thousand(), 2886.7513315143719}, Case{"count", {7, 7, 7}, 3},
                    Case{"mult", {2, 3, -4}, -24}, Case{"first", {3, 1}, 3}, Case{"last", {3, 1}, 1},
                    Case{"median", {3, 1, 2}, 2}, Case{"median", {4, 1, 3, 2}, 3}, Case{"median", {5}, 5},
                    Case{"p50", five, 35}, Case{"p75", five, 45}, Case{"p90", five, 50}, Case{"p50", {1, 2, 3, 4}, 2.5},
                    Case{"p95", {8}, 8}, Case{"p999", five, 50},
                    Case{"ep50r3", five, 20},  // 2.5 is rounded to the even 2
                    Case{"ep75r3", five, 40}, Case{"ep50r7", five, 35}, Case{"ep75r7", five, 40},
                    Case{"ep90r7", five, 46}, Case{"ep99r7", {1, 2}, 1.99}),
    [](const auto& one) { return one.param.name + "_" + std::to_string(one.index); });

TEST(Reducer, WholeNumbersStayWholeWhereTheyCan) {
  const std::vector<std::int64_t> two = {3, INT64_MAX - 3};
  EXPECT_EQ(reduce_longs(Reducer::sum, two), INT64_MAX);
  EXPECT_EQ(reduce_longs(Reducer::zimsum, std::vector<std::int64_t>{1, INT64_MAX}), std::nullopt);
  EXPECT_EQ(reduce_longs(Reducer::min, two), 3);
  EXPECT_EQ(reduce_longs(Reducer::mimmax, two), INT64_MAX - 3);
  EXPECT_EQ(reduce_longs(Reducer::count, two), 2);
  EXPECT_EQ(reduce_longs(Reducer::first, two), 3);
  EXPECT_EQ(reduce_longs(Reducer::last, two), INT64_MAX - 3);
  EXPECT_EQ(reduce_longs(Reducer::avg, two), std::nullopt);
  EXPECT_EQ(reduce_longs(Reducer::p50, two), std::nullopt);
}

TEST(Reducer, Names) {
  const auto names = reducer_names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const auto name : names) EXPECT_TRUE(reducer_of(name)) << name;
  EXPECT_FALSE(reducer_of("SUM"));
  EXPECT_FALSE(reducer_of(""));
  EXPECT_TRUE(interpolates(Reducer::p95));
  for (const auto* name : {"zimsum", "mimmin", "mimmax", "count", "first", "last", "none"}) {
    EXPECT_FALSE(interpolates(reducer_of(name).value())) << name;
  }
}

}  // namespace
}  // namespace varve::aggregate
