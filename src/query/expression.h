// SPDX-License-Identifier: Apache-2.0
// Expressions of matchers, made from text that users mean literally.
#pragma once

#include <string>
#include <string_view>

namespace varve::query {

// Appends an RE2 expression that matches exactly these bytes.
inline void append_quoted(std::string& expression, std::string_view literal) {
  for (const char c : literal) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c < 0;
    if (c == '\0') {
      expression += "\\x00";
      continue;
    }
    if (!plain) expression += '\\';
    expression += c;
  }
}

}  // namespace varve::query
