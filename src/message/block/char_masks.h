// SPDX-License-Identifier: Apache-2.0
// CharMasks: what the characters of a text are, a bit for each, 64 at a time; so that words are found by counting bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace varve::message::block {

struct CharMasks {
  std::uint64_t word = 0;  // kWordChars
  std::uint64_t digit = 0;
  std::uint64_t low_hex = 0;  // a … f
  std::uint64_t up_hex = 0;   // A … F
  std::uint64_t zero = 0;     // bytes 0
};

inline constexpr std::size_t kMaskChars = 64;

// Of `count` characters, at most 64, from the lowest bit on; the bits behind them are 0.
CharMasks masks_of(const char* at, std::size_t count);

}  // namespace varve::message::block
