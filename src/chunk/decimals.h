// SPDX-License-Identifier: Apache-2.0
// Decimals: most gauges have a few digits, and their mantissas compress well while IEEE bits do not. The idea is that
// of ALP. A double counts as a decimal only if mantissa / 10^decimals restores its bits exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace varve::chunk {

// Doubles as mantissas with a common exponent. For values that are no such decimals (NaN, −0, more digits), `patches`
// has the position and the mantissa repeats the previous one.
struct Decimals {
  unsigned decimals = 0;
  std::vector<std::int64_t> mantissas;
  std::vector<std::uint32_t> patches;
};

// False: fewer than 15 of 16 values are decimals with at most 15 places. `bits` must not be empty. Reuses the memory of
// `out`.
bool find_decimals(std::span<const std::uint64_t> bits, Decimals& out);

// The inverse: replaces each mantissa, |m| ≤ 2^53, by the bits of the double m / 10^decimals, correctly rounded.
void to_doubles(std::span<std::uint64_t> values, unsigned decimals);

// Maps IEEE bits to integers that sort as the numbers do. Its own inverse. −0 sorts before 0.
constexpr std::uint64_t ordered(std::uint64_t bits) {
  const std::uint64_t sign = 0 - (bits >> 63);
  return bits ^ (sign >> 1);
}

}  // namespace varve::chunk
