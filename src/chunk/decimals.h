// SPDX-License-Identifier: Apache-2.0
// Doubles that were decimals: most gauges have a few digits, and their mantissas compress where the IEEE bits do not.
// The idea is ALP's; a value counts as a decimal only if mantissa / 10^decimals gives its bits back exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace varve::chunk {

// Doubles as mantissas of one exponent. Where a value is no such decimal (NaN, −0, more digits), its position is in
// `patches` and its mantissa repeats the one before.
struct Decimals {
  unsigned decimals = 0;
  std::vector<std::int64_t> mantissas;
  std::vector<std::uint32_t> patches;
};

// False if less than 15 of 16 values are decimals of up to 15 places. `bits` is not empty. Reuses the memory of `out`.
bool find_decimals(std::span<const std::uint64_t> bits, Decimals& out);

// The other way: each mantissa, |m| ≤ 2^53, becomes the bits of the double mantissa / 10^decimals, correctly rounded.
void to_doubles(std::span<std::uint64_t> values, unsigned decimals);

// IEEE bits to integers that order as the numbers do, and back (it is its own inverse). −0 comes before 0.
constexpr std::uint64_t ordered(std::uint64_t bits) {
  const std::uint64_t sign = 0 - (bits >> 63);
  return bits ^ (sign >> 1);
}

}  // namespace varve::chunk
