// SPDX-License-Identifier: Apache-2.0
// Whole numbers of lines: most have fewer than 19 digits, and times have sixteen.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/json/number.h"

namespace varve::protocol::messages {

// All of `text` as [-]digits within 64 bits (with +, too, which JSON does not have).
inline std::optional<std::int64_t> whole_number(std::string_view text) {
  constexpr std::size_t kSafeDigits = 18;
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const std::string_view digits = text.substr(sign);
  if (digits.empty() || digits.size() > kSafeDigits) return json::to_long(text);
  const char* at = digits.data();
  const char* const end = at + digits.size();
  std::uint64_t value = 0;
  for (; end - at >= 8; at += 8) {
    const json::Eight eight(at);
    if (eight.stops != 0) return json::to_long(text);
    value = value * 100'000'000 + json::number_of(eight.digits, 8);
  }
  for (; at < end; ++at) {
    if (*at < '0' || *at > '9') return json::to_long(text);
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  const auto number = static_cast<std::int64_t>(value);
  return sign != 0 ? -number : number;
}

}  // namespace varve::protocol::messages
