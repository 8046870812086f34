// SPDX-License-Identifier: Apache-2.0
#include "language/promql/sliding_fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "language/promql/exact_sum.h"

namespace varve::language::promql {
namespace {

// Keeps the order, and counts how often it is joined.
struct JoinedText {
  static inline int joins = 0;
  std::string text;

  void join(const JoinedText& other) {
    ++joins;
    text += other.text;
  }
};

TEST(SlidingFold, any_forward_ranges_are_those_of_their_items_in_order) {
  std::string all;
  for (int i = 0; i < 300; ++i) all += static_cast<char>('a' + i % 26);
  const auto item = [&](std::size_t i) { return JoinedText{all.substr(i, 1)}; };
  std::mt19937 random(1);
  for (const std::size_t stride : {1, 3, 20, 100}) {
    SlidingFold<JoinedText, decltype(item)> fold(item);
    for (std::size_t begin = 0, end = 0; end < all.size();) {
      begin += random() % (stride + 1);
      end = std::min(all.size(), std::max(begin, end + random() % (stride + 1)));
      begin = std::min(begin, end);
      EXPECT_EQ(fold.over(begin, end).text, all.substr(begin, end - begin));
    }
  }
}

TEST(SlidingFold, work_is_that_of_items_and_ranges_not_of_their_product) {
  const auto item = [](std::size_t) { return JoinedText(); };
  SlidingFold<JoinedText, decltype(item)> fold(item);
  JoinedText::joins = 0;
  for (std::size_t end = 1000; end < 20'000; ++end) (void)fold.over(end - 1000, end);
  EXPECT_LT(JoinedText::joins, 3 * 20'000);
}

TEST(ExactSum, keeps_what_rounding_loses) {
  ExactSum sum;
  for (const double x : {1e16, 1.0, 1.0, -1e16}) sum.add(x);
  EXPECT_EQ(sum.value(), 2);
  ExactSum third{1, 0};
  const ExactSum parts = third.over(3);
  EXPECT_EQ(parts.high, 1.0 / 3);
  EXPECT_NEAR(parts.low, 1.0 / 54043195528445952, 1e-30);
  sum.add(INFINITY);
  EXPECT_EQ(sum.value(), INFINITY);
  sum.add(-INFINITY);
  EXPECT_TRUE(std::isnan(sum.value()));
}

}  // namespace
}  // namespace varve::language::promql
