// SPDX-License-Identifier: Apache-2.0
// Scans of the line protocol's fast way. They may read 32 bytes past what they are asked about.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "protocol/compare.h"

namespace varve::protocol::influx {

// Bits where a name may end: a space, a newline, or a backslash to look at.
inline std::uint32_t mask_of_name_end(const char* at) {
  return mask_of(at, ' ') | mask_of(at, '\n') | mask_of(at, '\\');
}

// End of the measurement and tags that begin at `at`: the first space that no backslash precedes, or nullptr if the
// line ends before one. The text must hold a newline.
inline const char* find_name_end(const char* at) {
  for (;;) {
    const std::uint32_t mask = mask_of_name_end(at);
    if (mask == 0) {
      at += 32;
      continue;
    }
    at += std::countr_zero(mask);
    if (*at == ' ') return at;
    if (*at == '\n' || at[1] == '\n') return nullptr;
    at += at[1] == '\\' ? 1 : 2;  // of several backslashes, the last one escapes
  }
}

// End of a value that is not quoted: the first comma, space, carriage return or newline.
inline const char* find_value_end(const char* at) {
  for (;; at += 32) {
    const std::uint32_t mask = mask_of(at, ',') | mask_of(at, ' ') | mask_of(at, '\r') | mask_of(at, '\n');
    if (mask != 0) return at + std::countr_zero(mask);
  }
}

// First of `any`, or the newline that is surely there.
inline const char* find_any(const char* at, std::string_view any) {
  while (*at != '\n' && any.find(*at) == std::string_view::npos) ++at;
  return at;
}

}  // namespace varve::protocol::influx
