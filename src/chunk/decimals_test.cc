// SPDX-License-Identifier: Apache-2.0
#include "chunk/decimals.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "model/row.h"

namespace varve::chunk {
namespace {

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double v : values) bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}

TEST(Decimals, FindsPlaces) {
  struct Case {
    std::vector<double> values;
    bool found;
    unsigned decimals;
  };
  const Case cases[] = {
      {{0}, true, 0},
      {{1, 2, 3}, true, 0},
      {{-9007199254740991, 9007199254740991}, true, 0},
      {{9007199254740994}, false, 0},
      {{0.5}, true, 1},
      {{1, 0.25, -3}, true, 2},
      {{1e-15, 1}, true, 15},
      {{1e-16}, false, 0},
      {{0.1 + 0.2}, false, 0},
      {{1.0 / 3, 2.0 / 3}, false, 0},
      {{-0.0}, false, 0},
      {{std::numeric_limits<double>::quiet_NaN()}, false, 0},
      {{std::numeric_limits<double>::infinity()}, false, 0},
      {{1e300, 0.1}, false, 0},
  };
  Decimals out;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.values[0]);
    ASSERT_EQ(find_decimals(bits_of(c.values), out), c.found);
    if (c.found) {
      EXPECT_EQ(out.decimals, c.decimals);
    }
  }
}

TEST(Decimals, PatchesTheFewThatAreNone) {
  std::vector<double> values(64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 100;
  values[0] = -0.0;
  values[5] = std::numeric_limits<double>::quiet_NaN();
  values[63] = 1.0 / 3;
  Decimals out;
  ASSERT_TRUE(find_decimals(bits_of(values), out));
  EXPECT_EQ(out.decimals, 2U);
  EXPECT_EQ(out.patches, (std::vector<std::uint32_t>{0, 5, 63}));
  EXPECT_EQ(out.mantissas[5], 4);
  EXPECT_EQ(out.mantissas[62], 62);
}

// What the sample of values did not show: more places in a stretch it does not meet.
TEST(Decimals, TakesPlacesThatTheSampleMissed) {
  std::vector<double> values(4000, 1.5);
  for (std::size_t i = 1; i < values.size(); i += 2) values[i] = 1.125;
  for (std::size_t i = 0; i < 32; ++i) values[i * values.size() / 32] = 7;
  Decimals out;
  ASSERT_TRUE(find_decimals(bits_of(values), out));
  EXPECT_EQ(out.decimals, 3U);
  EXPECT_TRUE(out.patches.empty());
}

TEST(Decimals, ToDoublesRoundsAsDivisionDoes) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  std::mt19937_64 random(17);
  for (unsigned d = 0; d <= model::kRowDecimalsMax; ++d) {
    std::vector<std::int64_t> mantissas = {0, 1, -1, kLargest, -kLargest, kLargest - 1, 1 - kLargest};
    for (int i = 0; i < 100'000; ++i) {
      const auto m = static_cast<std::int64_t>(random() >> (11 + random() % 53));
      mantissas.push_back(i % 2 == 0 ? m : -m);
    }
    std::vector<std::uint64_t> values(mantissas.begin(), mantissas.end());
    to_doubles(values, d);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = static_cast<double>(mantissas[i]) / model::kPowerOfTen[d];
      ASSERT_EQ(values[i], std::bit_cast<std::uint64_t>(expected)) << mantissas[i] << " / 10^" << d;
    }
  }
}

TEST(Decimals, OrderedBitsOrderAsNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  const double ascending[] = {-inf, -1e300, -1, -5e-324, -0.0, 0.0, 5e-324, 1, 1e300, inf};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(ascending[i]);
    EXPECT_EQ(ordered(ordered(bits)), bits);
    if (i == 0) continue;
    const auto before = std::bit_cast<std::uint64_t>(ascending[i - 1]);
    EXPECT_LT(static_cast<std::int64_t>(ordered(before)), static_cast<std::int64_t>(ordered(bits)));
  }
}

}  // namespace
}  // namespace varve::chunk
