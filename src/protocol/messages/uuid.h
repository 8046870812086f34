// SPDX-License-Identifier: Apache-2.0
// Ids of messages as senders write them: 123e4567-e89b-12d3-a456-426614174000.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/hex.h"
#include "message/row.h"

namespace varve::protocol::messages {

// All of `text`, in any case.
inline std::optional<std::array<char, message::kIdBytes>> read_uuid(std::string_view text) {
  constexpr std::size_t kChars = 36;
  if (text.size() != kChars) return std::nullopt;
  std::array<char, message::kIdBytes> id{};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kChars;) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i++] != '-') return std::nullopt;
      continue;
    }
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id[bytes++] = static_cast<char>(high << 4 | low);
    i += 2;
  }
  return id;
}

}  // namespace varve::protocol::messages
