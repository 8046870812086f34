// SPDX-License-Identifier: Apache-2.0
// Expressions of matchers, made of what users write: text that is meant literally, and expressions of their own.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::query {

// Is this an expression by itself, also as a part of another one? "x)|(b" is not, but "(?:x)|(b)" would compile.
// Error: invalid.
Status check_expression(std::string_view expression);

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
