// SPDX-License-Identifier: Apache-2.0
// Puts messages together, element by element, as BerReader takes them apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace varve::snmp::session {

// An element of any length: its tag, its length, its content.
inline std::string ber(unsigned char tag, std::string_view content) {
  std::string out(1, static_cast<char>(tag));
  if (content.size() < 0x80) {
    out += static_cast<char>(content.size());
  } else {
    std::string length;
    for (std::size_t left = content.size(); left > 0; left >>= 8)
      length.insert(length.begin(), static_cast<char>(left));
    out += static_cast<char>(0x80 | length.size());
    out += length;
  }
  return out.append(content);
}

// A number that is not negative, in as few bytes as it takes; counters have another tag than integers.
inline std::string ber_number(unsigned char tag, std::uint32_t number) {
  std::string bytes;
  for (std::uint64_t left = number; bytes.empty() || left > 0; left >>= 8) {
    bytes.insert(bytes.begin(), static_cast<char>(left & 0xff));
  }
  if ((bytes[0] & 0x80) != 0) bytes.insert(bytes.begin(), '\0');
  return ber(tag, bytes);
}

}  // namespace varve::snmp::session
