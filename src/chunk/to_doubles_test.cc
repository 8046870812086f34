// SPDX-License-Identifier: Apache-2.0
#include "chunk/to_doubles.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace varve::chunk {
namespace {

void expect_exact(const std::vector<std::int64_t>& longs) {
  std::vector<std::uint64_t> bits(longs.begin(), longs.end());
  std::vector<double> out(longs.size());
  to_doubles(bits, out.data());
  for (std::size_t i = 0; i < longs.size(); ++i) EXPECT_EQ(out[i], static_cast<double>(longs[i])) << longs[i];
}

TEST(ToDoubles, EdgesOfTheFastWay) {
  const std::int64_t edge = std::int64_t{1} << 51;
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, edge - 1, edge, edge + 1, -edge, -edge - 1,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    expect_exact({v});
    expect_exact({0, 5, -7, v, 3});
  }
  expect_exact({});
}

TEST(ToDoubles, RandomWidths) {
  std::mt19937_64 random(11);
  for (int width = 1; width <= 64; ++width) {
    std::vector<std::int64_t> longs(37);
    for (auto& v : longs) v = static_cast<std::int64_t>(random()) >> (64 - width);
    expect_exact(longs);
  }
}

}  // namespace
}  // namespace varve::chunk
