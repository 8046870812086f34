// SPDX-License-Identifier: Apache-2.0
// Tokens of PromQL, and errors in Prometheus' form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/promql/expression.h"

namespace varve::language::promql {

struct Token {
  enum class Kind : std::uint8_t { end, error, word, string, number, duration, sign };
  // What a word is, in any case of its letters. Within braces all are names.
  enum class Word : std::uint8_t { name, operation, aggregation, keyword };
  Kind kind{};
  Word word{};
  std::string_view text;  // as it was written
  std::string value;      // a string without quotes and escapes; a word in lower case; what is wrong
  Span at;
};

inline constexpr std::size_t kQueryBytesMax = 131'072;

// The last one is Kind::end, or Kind::error, which is an error only for who comes to it: one of syntax may stand
// before. They refer to `query`.
std::vector<Token> tokens_of(std::string_view query);

// "1:7: parse error: …"
std::unexpected<Error> error_at(std::string_view query, std::size_t at, std::string_view what);

// What a token is called where it is not expected: identifier "m", <op:+>, "(".
std::string description_of(const Token& token);

}  // namespace varve::language::promql
