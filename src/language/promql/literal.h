// SPDX-License-Identifier: Apache-2.0
// Literals of PromQL: numbers and strings, as text and as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::language::promql {

// 1, 0x1f, 017, 1_000, .5e-3, inf, NaN: what the lexer takes for a number, without a sign. nullopt: it is none, or out
// of range.
std::optional<double> literal_number(std::string_view text);

// The shortest one that gives the number again: 0.1, 1e+06, +Inf, NaN.
std::string literal_text(double value);

// What stands between the quotes `quote`, with escapes as Go has them. Error: invalid, without a place.
Result<std::string> unescaped(std::string_view text, char quote);

// In double quotes, with escapes for what cannot be shown.
std::string quoted(std::string_view text);

// The first character of `text`, which is not empty, and of how many bytes it is. U+FFFD of one byte: this is not
// UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};
Character first_character(std::string_view text);

}  // namespace varve::language::promql
