// SPDX-License-Identifier: Apache-2.0
#include "language/promql/parser.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "language/promql/check.h"
#include "language/promql/modifier_parser.h"
#include "language/promql/names.h"
#include "language/promql/nesting.h"
#include "language/promql/selector_parser.h"
#include "language/promql/token_reader.h"

namespace varve::language::promql {
namespace {

using Kind = Token::Kind;
using Word = Token::Word;
using Built = Nested<ExpressionPtr>;

ExpressionPtr made(Expression::Node node, Span at) {
  return std::make_unique<Expression>(Expression{std::move(node), {}, at});
}

bool may_be_metric(const Token& word) {
  if (word.word == Word::operation) return word.value != "atan2";
  if (word.word != Word::keyword) return true;
  for (const std::string_view other : {"bool", "on", "ignoring", "group_left", "group_right"}) {
    if (word.value == other) return false;
  }
  return true;
}

class PromqlParser {
 public:
  PromqlParser(TokenReader& tokens, ParseOptions options) : tokens_(tokens), options_(options) {}

  // Operators that bind as tightly as `strength` at least.
  Result<Built> expression(int strength, std::size_t depth) {
    VARVE_RETURN_IF_ERROR(check_nesting(tokens_, depth));
    VARVE_ASSIGN_OR_RETURN(Built left, signed_one(depth));
    while (const auto op = operator_of(tokens_.peek())) {
      if (strength_of(*op) < strength) break;
      tokens_.take();
      Binary both{.op = *op};
      VARVE_RETURN_IF_ERROR(read_binary_modifiers(tokens_, both));
      // ^ is done from the right.
      const int tighter = strength_of(*op) + (*op == BinaryOp::power ? 0 : 1);
      VARVE_ASSIGN_OR_RETURN(Built right, expression(tighter, depth + 1));
      const std::size_t height = std::max(left.height, right.height) + 1;
      VARVE_RETURN_IF_ERROR(check_nesting(tokens_, height));
      const Span at{left.value->at.from, right.value->at.to};
      both.left = std::move(left.value);
      both.right = std::move(right.value);
      left = {made(std::move(both), at), height};
    }
    return left;
  }

 private:
  [[nodiscard]] std::optional<BinaryOp> operator_of(const Token& token) const {
    if (token.kind != Kind::sign && token.kind != Kind::word) return std::nullopt;
    const auto op = binary_op_of(token.kind == Kind::sign ? token.text : std::string_view(token.value));
    return op == BinaryOp::default_to && options_.strict ? std::nullopt : op;
  }

  Result<Built> signed_one(std::size_t depth) {
    if (!tokens_.is_sign("-") && !tokens_.is_sign("+")) return with_modifiers(depth);
    const Token& sign = tokens_.take();
    const bool negate = sign.text == "-";
    VARVE_ASSIGN_OR_RETURN(Built inner, expression(strength_of(BinaryOp::power), depth + 1));
    const Span at{sign.at.from, inner.value->at.to};
    if (auto* const number = std::get_if<NumberLiteral>(&inner.value->node)) {
      if (negate) number->value = -number->value;
      inner.value->at = at;
      return inner;
    }
    return Built{made(Unary{negate, std::move(inner.value)}, at), inner.height + 1};
  }

  Result<Built> with_modifiers(std::size_t depth) {
    VARVE_ASSIGN_OR_RETURN(Built built, primary(depth));
    while (begins_modifier(tokens_)) {
      VARVE_RETURN_IF_ERROR(read_modifier(tokens_, built.value, depth));
      if (std::holds_alternative<Subquery>(built.value->node)) ++built.height;
      VARVE_RETURN_IF_ERROR(check_nesting(tokens_, built.height));
    }
    return built;
  }

  Result<Built> primary(std::size_t depth) {
    const Token& token = tokens_.peek();
    switch (token.kind) {
      case Kind::number:
      case Kind::duration: {
        tokens_.take();
        NumberLiteral number{.duration = token.kind == Kind::duration};
        VARVE_ASSIGN_OR_RETURN(number.value, number_of_token(tokens_, token));
        return Built{made(number, token.at)};
      }
      case Kind::string: tokens_.take(); return Built{made(StringLiteral{token.value}, token.at)};
      case Kind::word: return named(token, depth);
      case Kind::sign:
        if (token.text == "(") return parentheses(depth);
        if (token.text == "{") return selector();
        break;
      default: break;
    }
    return tokens_.unexpected();
  }

  Result<Built> named(const Token& token, std::size_t depth) {
    if (token.word == Word::aggregation) {
      if (tokens_.is_sign("(", 1) || tokens_.is_word("by", 1) || tokens_.is_word("without", 1))
        return aggregation(depth);
    }
    if (token.word == Word::name && tokens_.is_sign("(", 1) && !token.text.contains(':')) return call(depth);
    return may_be_metric(token) ? selector() : tokens_.unexpected();
  }

  Result<Built> selector() {
    const std::size_t from = tokens_.peek().at.from;
    VARVE_ASSIGN_OR_RETURN(VectorSelector read, read_vector_selector(tokens_));
    return Built{made(std::move(read), {from, tokens_.end()})};
  }

  Result<Built> parentheses(std::size_t depth) {
    const std::size_t from = tokens_.take().at.from;
    VARVE_ASSIGN_OR_RETURN(Built inner, expression(1, depth + 1));
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
    return Built{made(Parentheses{std::move(inner.value)}, {from, tokens_.end()}), inner.height + 1};
  }

  // (a, b): the next token is the parenthesis.
  Result<std::vector<ExpressionPtr>> arguments(std::size_t depth, std::size_t& height) {
    std::vector<ExpressionPtr> out;
    tokens_.take();
    if (tokens_.take_sign(")")) return out;
    while (true) {
      VARVE_ASSIGN_OR_RETURN(Built one, expression(1, depth + 1));
      out.push_back(std::move(one.value));
      height = std::max(height, one.height + 1);
      if (tokens_.take_sign(")")) return out;
      const std::size_t comma = tokens_.peek().at.from;
      VARVE_RETURN_IF_ERROR(tokens_.expect_sign(","));
      if (tokens_.is_sign(")")) return tokens_.error(comma, "trailing commas not allowed in function call args");
    }
  }

  Result<Built> call(std::size_t depth) {
    const Token& name = tokens_.take();
    Built out;
    Call call;
    VARVE_ASSIGN_OR_RETURN(call.arguments, arguments(depth, out.height));
    const Function* const function = find_function(name.text);
    if (function == nullptr || (function->metricsql && options_.strict)) {
      return tokens_.error(name.at.from, "unknown function with name " + quoted(name.text));
    }
    call.function = function->id;
    call.keep_metric_names = !options_.strict && tokens_.take_word("keep_metric_names");
    out.value = made(std::move(call), {name.at.from, tokens_.end()});
    return out;
  }

  Result<Built> aggregation(std::size_t depth) {
    const Token& name = tokens_.take();
    Aggregation out{.op = aggregation_op_of(name.value)};
    std::size_t height = 1;
    const bool grouped = begins_grouping(tokens_);
    if (grouped) VARVE_RETURN_IF_ERROR(read_grouping(tokens_, out));
    if (!tokens_.is_sign("(")) return tokens_.unexpected("aggregation");
    VARVE_ASSIGN_OR_RETURN(auto list, arguments(depth, height));
    if (!grouped && begins_grouping(tokens_)) VARVE_RETURN_IF_ERROR(read_grouping(tokens_, out));
    if (list.empty()) {
      return tokens_.error(name.at.from, "no arguments for aggregate expression provided");
    }
    const std::size_t expected = has_parameter(out.op) ? 2 : 1;
    if (list.size() != expected) {
      return tokens_.error(name.at.from, "wrong number of arguments for aggregate expression provided, expected " +
                                             std::to_string(expected) + ", got " + std::to_string(list.size()));
    }
    out.inner = std::move(list.back());
    if (expected == 2) out.parameter = std::move(list.front());
    return Built{made(std::move(out), {name.at.from, tokens_.end()}), height};
  }

  TokenReader& tokens_;
  ParseOptions options_;
};

Status check_size(std::string_view text) {
  if (text.size() <= kQueryBytesMax) return {};
  return error_at(text, 0,
                  "query of " + std::to_string(text.size()) + " bytes, more than " + std::to_string(kQueryBytesMax));
}

}  // namespace

Result<ExpressionPtr> parse(std::string_view text, ParseOptions options) {
  VARVE_RETURN_IF_ERROR(check_size(text));
  query::Expressions expressions;
  TokenReader tokens(text, expressions);
  if (tokens.is(Kind::end)) return error_at(text, 0, "no expression found in input");
  VARVE_ASSIGN_OR_RETURN(Built root, PromqlParser(tokens, options).expression(1, 1));
  if (!tokens.is(Kind::end)) return tokens.unexpected();
  VARVE_RETURN_IF_ERROR(check_types(*root.value, text));
  return std::move(root.value);
}

Result<std::vector<Matcher>> parse_selector(std::string_view text, query::Expressions& expressions) {
  VARVE_RETURN_IF_ERROR(check_size(text));
  TokenReader tokens(text, expressions);
  const bool begins = tokens.is_sign("{") || (tokens.is(Kind::word) && may_be_metric(tokens.peek()));
  if (!begins) return tokens.unexpected();
  VARVE_ASSIGN_OR_RETURN(VectorSelector selector, read_vector_selector(tokens));
  if (!tokens.is(Kind::end)) return tokens.unexpected();
  VARVE_RETURN_IF_ERROR(check_names(selector, {0, text.size()}, text));
  return std::move(selector.matchers);
}

}  // namespace varve::language::promql
