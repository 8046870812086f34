// SPDX-License-Identifier: Apache-2.0
// LEB128 varints (low group first, high bit: more follow) and zigzag for signed numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace varve::codec {

inline constexpr std::size_t kVarintBytesMax = 10;

constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t z) {
  return static_cast<std::int64_t>(z >> 1) ^ -static_cast<std::int64_t>(z & 1);
}

// Writes at `to` (room for kVarintBytesMax); returns the end.
inline std::byte* put_varint(std::byte* to, std::uint64_t v) {
  while (v >= 0x80) {
    *to++ = static_cast<std::byte>(v | 0x80);
    v >>= 7;
  }
  *to++ = static_cast<std::byte>(v);
  return to;
}

inline void append_varint(std::string& to, std::uint64_t v) {
  while (v >= 0x80) {
    to += static_cast<char>(v | 0x80);
    v >>= 7;
  }
  to += static_cast<char>(v);
}

// Reads at `at`, not past `end`; returns the end of the varint, or nullptr if it is truncated or longer than 64 bits.
inline const std::byte* get_varint(const std::byte* at, const std::byte* end, std::uint64_t& v) {
  v = 0;
  for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
    const auto b = static_cast<std::uint64_t>(*at++);
    if (shift == 63 && b > 1) return nullptr;
    v |= (b & 0x7f) << shift;
    if (b < 0x80) return at;
  }
  return nullptr;
}

}  // namespace varve::codec
