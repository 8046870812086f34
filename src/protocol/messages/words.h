// SPDX-License-Identifier: Apache-2.0
// What errors say of a message's values.
#pragma once

#include <string>
#include <string_view>

namespace varve::protocol::messages {

// Values of a sender may be a mebibyte long.
inline std::string shorten(std::string_view value) {
  constexpr std::size_t kShown = 60;
  return value.size() <= kShown ? std::string(value) : std::string(value.substr(0, kShown)) + "…";
}

}  // namespace varve::protocol::messages
