// SPDX-License-Identifier: Apache-2.0
// Symbols: passes over the symbols and the low bits of a dense sequence. `from` is the first residual that is wanted, n
// how many are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chunk/format.h"

namespace varve::chunk {

constexpr std::uint64_t unzigzag_of(std::uint64_t z) { return (z >> 1) ^ (0 - (z & 1)); }

constexpr unsigned escape_of(unsigned symbol_class) { return is_nibble(symbol_class) ? kNibbleEscape : kByteEscape; }

// The symbols, one in each number.
void expand_symbols(unsigned symbol_class, const std::byte* symbols, std::size_t from, std::size_t n,
                    std::uint64_t* out);

// Appends their low bits to numbers. `low` is followed by 8 readable bytes.
void add_low(const std::byte* low, unsigned shift, std::size_t from, std::size_t n, std::uint64_t* out);

// What they are together.
struct SymbolSum {
  std::uint64_t residuals = 0;  // the sum, where an escape stands for itself
  std::size_t escapes = 0;
};
// `escapes`: are there any in the sequence?
SymbolSum sum_symbols(unsigned symbol_class, const std::byte* symbols, bool escapes, std::size_t from, std::size_t n);

// The sum of the residuals of bytes that have low bits, as many as this or fewer, but not none. An escape stands for
// itself.
inline constexpr unsigned kSummedShiftMax = 8;
std::uint64_t sum_shifted(const std::byte* symbols, const std::byte* low, unsigned shift, std::size_t from,
                          std::size_t n);

}  // namespace varve::chunk
