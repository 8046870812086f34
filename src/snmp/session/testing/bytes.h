// SPDX-License-Identifier: Apache-2.0
// Messages for tests, as they are written in hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

#include "base/hex.h"

namespace varve::snmp::session::testing {

inline std::string bytes(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(hex_digit(hex[i]) << 4 | hex_digit(hex[i + 1]));
  }
  return out;
}

}  // namespace varve::snmp::session::testing
