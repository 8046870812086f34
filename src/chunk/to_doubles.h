// SPDX-License-Identifier: Apache-2.0
// Longs as doubles, many at once: the processor converts four at a time where none has more than 51 bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace varve::chunk {

// out[i] = the value of bits[i], which is a long; rounded to the nearest double.
inline void to_doubles(std::span<const std::uint64_t> bits, double* out) {
  // 2^52 + 2^51: a double between this and its double counts in ones, so a small long can be added to its bits.
  constexpr double kBase = 6755399441055744.0;
  constexpr auto kBaseBits = std::bit_cast<std::uint64_t>(kBase);
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 51;
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    any |= bits[i] + kHalf;
    out[i] = std::bit_cast<double>(bits[i] + kBaseBits) - kBase;
  }
  if (any < 2 * kHalf) return;
  for (std::size_t i = 0; i < bits.size(); ++i) out[i] = static_cast<double>(static_cast<std::int64_t>(bits[i]));
}

}  // namespace varve::chunk
