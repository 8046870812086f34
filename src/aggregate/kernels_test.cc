// SPDX-License-Identifier: Apache-2.0
#include "aggregate/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace varve::aggregate {
namespace {

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double v : values) bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}
std::vector<std::uint64_t> bits_of(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Kernels, ShortSumsAreAddedInOrder) {
  EXPECT_EQ(sum_of_doubles(bits_of(std::vector<double>(10, 0.1))),
            0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1);
  EXPECT_EQ(sum_of_doubles(bits_of(std::vector{1e300, -1e300, 1.0})), 1.0);
}

TEST(Kernels, NanAndInfinity) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::size_t at : {0U, 5U, 16U, 37U, 39U}) {
    std::vector<double> values(40, 2.0);
    values[at] = nan;
    EXPECT_TRUE(std::isnan(min_of_doubles(bits_of(values)))) << at;
    EXPECT_TRUE(std::isnan(max_of_doubles(bits_of(values)))) << at;
    EXPECT_TRUE(std::isnan(sum_of_doubles(bits_of(values)))) << at;
    values[at] = -inf;
    EXPECT_EQ(min_of_doubles(bits_of(values)), -inf) << at;
    EXPECT_EQ(max_of_doubles(bits_of(values)), 2.0) << at;
    EXPECT_EQ(sum_of_doubles(bits_of(values)), -inf) << at;
  }
}

TEST(Kernels, SumOfLongsNeverWraps) {
  EXPECT_EQ(sum_of_longs(bits_of(std::vector<std::int64_t>{kMax, kMax})), 2.0 * static_cast<double>(kMax));
  EXPECT_EQ(sum_of_longs(bits_of(std::vector<std::int64_t>(100, kMin))), 100.0 * static_cast<double>(kMin));
  EXPECT_EQ(sum_of_longs(bits_of(std::vector<std::int64_t>(10'000, (std::int64_t{1} << 51) - 1))),
            10'000.0 * static_cast<double>((std::int64_t{1} << 51) - 1));
  EXPECT_EQ(sum_of_longs(bits_of(std::vector<std::int64_t>{kMax, kMin, 3})), 2.0);
}

TEST(Kernels, AgreeWithLoops) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 1 + random() % 100;
    const unsigned shift = static_cast<unsigned>(random() % 64);
    std::vector<std::int64_t> longs;
    std::vector<double> doubles;
    for (std::size_t i = 0; i < n; ++i) {
      longs.push_back(std::bit_cast<std::int64_t>(random()) >> shift);
      doubles.push_back(static_cast<double>(std::bit_cast<std::int64_t>(random()) >> 40) / 8);  // sums are exact
    }
    long double sum_long = 0;
    double sum = 0, min = doubles[0], max = doubles[0];
    for (const auto v : longs) sum_long += static_cast<long double>(v);
    for (const auto v : doubles) sum += v, min = std::min(min, v), max = std::max(max, v);
    // A long double holds 64 bits: enough to tell a wrong lane, not the last bit of a sum that rounds.
    ASSERT_NEAR(sum_of_longs(bits_of(longs)), static_cast<double>(sum_long),
                std::abs(static_cast<double>(sum_long)) * 1e-15);
    ASSERT_EQ(min_of_longs(bits_of(longs)), std::ranges::min(longs));
    ASSERT_EQ(max_of_longs(bits_of(longs)), std::ranges::max(longs));
    ASSERT_EQ(sum_of_doubles(bits_of(doubles)), sum);
    ASSERT_EQ(min_of_doubles(bits_of(doubles)), min);
    ASSERT_EQ(max_of_doubles(bits_of(doubles)), max);
    double squares = 0, squares_long = 0;
    for (const auto v : doubles) squares += (v - sum) * (v - sum);
    for (const auto v : longs) squares_long += (static_cast<double>(v) - 5) * (static_cast<double>(v) - 5);
    ASSERT_NEAR(squares_of_doubles(bits_of(doubles), sum), squares, squares * 1e-13);
    ASSERT_NEAR(squares_of_longs(bits_of(longs), 5), squares_long, squares_long * 1e-13);
  }
}

}  // namespace
}  // namespace varve::aggregate
