// SPDX-License-Identifier: Apache-2.0
// For the parsers of PromQL: how deep trees may be, and what a number says.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "language/promql/duration.h"
#include "language/promql/literal.h"
#include "language/promql/token_reader.h"

namespace varve::language::promql {

// A tree, and how many of its nodes are within each other at most.
template <class Tree>
struct Nested {
  Tree value;
  std::size_t height = 1;
};

inline Status check_nesting(const TokenReader& tokens, std::size_t depth) {
  if (depth <= kHeightMax) return {};
  return tokens.error(tokens.peek().at.from,
                      "more than " + std::to_string(kHeightMax) + " expressions within each other");
}

// Of a number or of a duration, in seconds.
inline Result<double> number_of_token(const TokenReader& tokens, const Token& token) {
  if (token.kind == Token::Kind::duration) {
    if (const auto ms = duration_ms(token.text)) return static_cast<double>(*ms) / 1000;
    return tokens.error(token.at.from, "not a valid duration string: " + quoted(token.text));
  }
  if (const auto number = literal_number(token.text)) return *number;
  return tokens.error(token.at.from, "error parsing number: " + quoted(token.text));
}

}  // namespace varve::language::promql
