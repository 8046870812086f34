// SPDX-License-Identifier: Apache-2.0
// Base64, as RFC 4648 has it: what Basic authentication wants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace varve::logs {

inline std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
  }
  return out;
}

}  // namespace varve::logs
