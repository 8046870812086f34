// SPDX-License-Identifier: Apache-2.0
// TokenReader: the tokens of one query, for the parsers of its parts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/logql/lexer.h"
#include "query/expression.h"

namespace varve::language::logql {

class TokenReader {
 public:
  // `expressions`: those of the question that the query is, or is a part of.
  TokenReader(std::string_view query, std::vector<Token> tokens, query::Expressions& expressions)
      : query_(query), tokens_(std::move(tokens)), expressions_(expressions) {}

  [[nodiscard]] query::Expressions& expressions() const { return expressions_; }

  // The next token; after the last one Kind::end, again and again.
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  [[nodiscard]] bool is_sign(std::string_view sign, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::sign && peek(ahead).text == sign;
  }
  [[nodiscard]] bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::identifier && peek(ahead).text == word;
  }
  bool take_sign(std::string_view sign) { return is_sign(sign) && (take(), true); }
  bool take_word(std::string_view word) { return is_word(word) && (take(), true); }

  Status expect_sign(std::string_view sign) { return take_sign(sign) ? Status{} : unexpected(sign); }
  Result<std::string> expect(Token::Kind kind, std::string_view name) {
    if (peek().kind != kind) return unexpected(name);
    return take().text;
  }

  // Errors about the next token, or about `token`.
  [[nodiscard]] std::unexpected<Error> unexpected(std::string_view expecting = {}) const {
    std::string what = "syntax error: unexpected " + name_of(peek());
    if (!expecting.empty()) what += ", expecting " + std::string(expecting);
    return error(peek(), what);
  }
  [[nodiscard]] std::unexpected<Error> error(const Token& token, std::string_view what) const {
    return error_at(query_, token.at, what);
  }
  [[nodiscard]] std::unexpected<Error> unsupported(const Token& token, std::string_view what) const {
    return error_at(query_, token.at, std::string(what) + " is not supported", Code::unsupported);
  }

 private:
  std::string_view query_;
  std::vector<Token> tokens_;
  query::Expressions& expressions_;
  std::size_t at_ = 0;
};

}  // namespace varve::language::logql
