// SPDX-License-Identifier: Apache-2.0
// TokenReader: the tokens of one query, for the parsers of its parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/promql/lexer.h"
#include "query/expression.h"

namespace varve::language::promql {

class TokenReader {
 public:
  using Kind = Token::Kind;

  // `expressions`: those of the question that the query is, or is a part of.
  TokenReader(std::string_view query, query::Expressions& expressions)
      : query_(query), tokens_(tokens_of(query)), expressions_(expressions) {}

  [[nodiscard]] std::string_view query() const { return query_; }
  [[nodiscard]] query::Expressions& expressions() const { return expressions_; }

  // The next token; after the last one that one again and again.
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    end_ = token.at.to;
    return token;
  }
  // Where the token that was taken last ends.
  [[nodiscard]] std::size_t end() const { return end_; }

  [[nodiscard]] bool is(Kind kind) const { return peek().kind == kind; }
  [[nodiscard]] bool is_sign(std::string_view sign, std::size_t ahead = 0) const {
    return peek(ahead).kind == Kind::sign && peek(ahead).text == sign;
  }
  // In any case of its letters.
  [[nodiscard]] bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).kind == Kind::word && peek(ahead).value == word;
  }
  bool take_sign(std::string_view sign) { return is_sign(sign) && (take(), true); }
  bool take_word(std::string_view word) { return is_word(word) && (take(), true); }
  Status expect_sign(std::string_view sign) { return take_sign(sign) ? Status{} : unexpected(); }

  // "unexpected "}" in label matching, expected string": of the next token.
  [[nodiscard]] std::unexpected<Error> unexpected(std::string_view within = {}, std::string_view expected = {}) const {
    if (is(Kind::error)) return error(peek().at.from, peek().value);
    std::string what = "unexpected " + description_of(peek());
    if (!within.empty()) what += " in " + std::string(within);
    if (!expected.empty()) what += ", expected " + std::string(expected);
    return error(peek().at.from, what);
  }
  [[nodiscard]] std::unexpected<Error> error(std::size_t at, std::string_view what) const {
    return error_at(query_, at, what);
  }

 private:
  std::string_view query_;
  std::vector<Token> tokens_;
  query::Expressions& expressions_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace varve::language::promql
