// SPDX-License-Identifier: Apache-2.0
// Protocol buffers' wire format, as much of it as the generator writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace varve::load {

inline void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

inline void append_number(std::string& out, int field, std::uint64_t value) {
  append_varint(out, static_cast<std::uint64_t>(field) << 3U);
  append_varint(out, value);
}

inline void append_fixed64(std::string& out, int field, std::uint64_t value) {
  append_varint(out, static_cast<std::uint64_t>(field) << 3U | 1U);
  for (int shift = 0; shift < 64; shift += 8) {
    out += static_cast<char>(value >> static_cast<unsigned>(shift));
  }
}

inline void append_bytes(std::string& out, int field, std::string_view bytes) {
  append_varint(out, static_cast<std::uint64_t>(field) << 3U | 2U);
  append_varint(out, bytes.size());
  out += bytes;
}

}  // namespace varve::load
