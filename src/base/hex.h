// SPDX-License-Identifier: Apache-2.0
// Hexadecimal digits, and texts in which bytes are escaped by two of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace varve {

// 0 … 15, or -1.
constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

// Appends two lower-case digits for each byte.
inline void append_hex(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xf];
  }
}

// So many lower-case digits of the number, the last ones.
inline std::string hex_text(std::uint64_t number, std::size_t digits) {
  std::string out(digits, '0');
  for (std::size_t i = digits; i > 0; number >>= 4) out[--i] = "0123456789abcdef"[number & 0xf];
  return out;
}

// Appends the text; what is not in `plain` as `sign` (a percent sign, mostly) and two upper-case digits.
inline void append_escaped(std::string& out, std::string_view text, char sign, const CharSet& plain) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    if (plain.contains(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += sign;
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xf];
  }
}

}  // namespace varve
