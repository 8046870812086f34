// SPDX-License-Identifier: Apache-2.0
#include "rollup/decimal_sums.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

namespace varve::rollup {
namespace {

struct Case {
  const char* what;
  std::int64_t count;
  double min, max, sum, expected;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTail = 0.1 + 0.2;

TEST(RoundSums, OnlyWhatDecimalsAddUpTo) {
  const Case cases[] = {
      {"decimals", 2, 0.1, 0.2, kTail, 0.3},
      {"negative decimals", 2, -0.2, -0.1, -kTail, -0.3},
      {"a sample with more digits than the extremes", 3, 0.1, 0.2, kTail + 1e-4, kTail + 1e-4},
      {"extremes with all digits", 2, 0.1, 0.20000000000000004, kTail, kTail},
      {"whole extremes", 2, 0, 1, kTail, kTail},
      {"so many that the error hides the decimals", std::int64_t{1} << 40, 0.1, 0.2, kTail, kTail},
      {"too large for whole hundredths", 2, 0.25, 1e15, 1e15 + 0.25, 1e15 + 0.25},
      {"unknown extremes", 2, kNan, kNan, kTail, kTail},
      {"a sum that overflowed", 2, 0.1, 0.2, kInfinity, kInfinity},
  };
  for (const Case& c : cases) {
    const std::vector<std::int64_t> counts = {c.count};
    const std::vector<std::uint64_t> mins = {std::bit_cast<std::uint64_t>(c.min)};
    const std::vector<std::uint64_t> maxs = {std::bit_cast<std::uint64_t>(c.max)};
    std::vector<std::uint64_t> sums = {std::bit_cast<std::uint64_t>(c.sum)};
    round_sums(counts, mins, maxs, sums);
    EXPECT_EQ(std::bit_cast<double>(sums[0]), c.expected) << c.what;
  }
}

}  // namespace
}  // namespace varve::rollup
