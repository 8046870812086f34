// SPDX-License-Identifier: Apache-2.0
#include "rollup/decimal_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/check.h"

namespace varve::rollup {
namespace {

constexpr std::array<double, 7> kPowers = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
constexpr double kWholeMax = 0x1.0p53;
constexpr double kChanceMax = 0.01;  // of a sum of other numbers to be taken for a decimal

double nearest(double v, double power) { return std::nearbyint(v * power) / power; }

// The least power of ten that makes whole numbers of all these; 0: none does.
double power_of(std::span<const std::uint64_t> mins, std::span<const std::uint64_t> maxs) {
  std::size_t decimals = 0;
  for (const auto& column : {mins, maxs}) {
    for (const std::uint64_t bits : column) {
      const double v = std::bit_cast<double>(bits);
      while (nearest(v, kPowers[decimals]) != v) {
        if (++decimals == kPowers.size()) return 0;
      }
    }
  }
  return kPowers[decimals];
}

}  // namespace

void round_sums(std::span<const std::int64_t> counts, std::span<const std::uint64_t> mins,
                std::span<const std::uint64_t> maxs, std::span<std::uint64_t> sums) {
  check(counts.size() == sums.size() && mins.size() == sums.size() && maxs.size() == sums.size(),
        "columns are equally long");
  const double power = power_of(mins, maxs);
  if (power <= 1) return;  // sums of whole numbers are exact
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double sum = std::bit_cast<double>(sums[i]);
    const auto n = static_cast<double>(counts[i]);
    const double most = std::max(std::abs(std::bit_cast<double>(mins[i])), std::abs(std::bit_cast<double>(maxs[i])));
    // What adding up in four lanes may be off by (fold.cc).
    const double error = (n / 4 + 4) * std::numeric_limits<double>::epsilon() / 2 * n * most;
    if (!(error * power < kChanceMax) || !(std::abs(sum) * power < kWholeMax)) continue;
    const double decimal = nearest(sum, power);
    if (std::abs(decimal - sum) <= error) sums[i] = std::bit_cast<std::uint64_t>(decimal);
  }
}

}  // namespace varve::rollup
