// SPDX-License-Identifier: Apache-2.0
// Tokens of LogQL, and errors in Loki's words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::language::logql {

struct Token {
  enum class Kind : std::uint8_t { end, identifier, string, number, duration, bytes, sign };
  Kind kind{};
  std::string text;    // an identifier, a sign ("|=", "{"), or a string without quotes and escapes
  double value = 0;    // a number, seconds, bytes
  std::size_t at = 0;  // its first byte in the query
};

inline constexpr std::size_t kQueryBytesMax = 131'072;  // as in Loki

// Ends with Kind::end. Error: invalid.
Result<std::vector<Token>> tokens_of(std::string_view query);

// "parse error at line 1, col 7: …"
std::unexpected<Error> error_at(std::string_view query, std::size_t at, std::string_view what,
                                Code code = Code::invalid);

// What a token is called where it is not expected: IDENTIFIER, STRING, |=, $end.
std::string name_of(const Token& token);

}  // namespace varve::language::logql
