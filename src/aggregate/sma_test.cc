// SPDX-License-Identifier: Apache-2.0
#include "aggregate/sma.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

std::string sma_of(std::int64_t size, const std::string& points) {
  return text_of(apply(Sma{size}, points_of(points)));
}

TEST(Sma, OfTheLastOnes) {
  EXPECT_EQ(sma_of(3, "0:10 1:20 2:3 3:1 4:5 5:6"), "2:11.0 3:8.0 4:3.0 5:4.0");
  EXPECT_EQ(sma_of(1, "0:10 1:20"), "0:10.0 1:20.0");
  EXPECT_EQ(sma_of(2, "0:10 1:20"), "1:15.0");
  EXPECT_EQ(sma_of(3, "0:10 1:20"), "");
  EXPECT_EQ(sma_of(1'000'000'000'000, "0:10"), "");
  EXPECT_EQ(sma_of(2, "0:10 5:null 9:20 10:0"), "9:15.0 10:10.0");
  EXPECT_EQ(sma_of(2, ""), "");
}

TEST(Sma, EqualsTheSumOfEachAverage) {
  std::mt19937_64 random(5);
  for (std::int64_t size = 1; size < 40; ++size) {
    Points points;
    std::vector<double> values;
    for (std::size_t i = 0; i < random() % 100; ++i) {
      // A large one among small ones: nothing of it may be left once it is out.
      values.push_back(random() % 17 == 0 ? 1e15 : static_cast<double>(random() % 100) / 8);
      points.push(static_cast<model::Timestamp>(i), model::ValueType::double_, std::bit_cast<std::uint64_t>(values[i]));
    }
    const Points got = apply(Sma{size}, points);
    const auto n = static_cast<std::size_t>(size);
    ASSERT_EQ(got.size(), values.size() < n ? 0 : values.size() - n + 1);
    for (std::size_t i = 0; i < got.size(); ++i) {
      double sum = 0;
      for (std::size_t k = i; k < i + n; ++k) sum += values[k];
      EXPECT_NEAR(got.number(i), sum / static_cast<double>(n), 1e-14 * sum) << size << ' ' << i;
      EXPECT_EQ(got.times[i], static_cast<model::Timestamp>(i + n - 1));
    }
  }
}

}  // namespace
}  // namespace varve::aggregate
