// SPDX-License-Identifier: Apache-2.0
#include "language/promql/modifier_parser.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "language/promql/duration_parser.h"
#include "language/promql/nesting.h"
#include "language/promql/selector_parser.h"

namespace varve::language::promql {
namespace {

using Kind = Token::Kind;

// The selector to which modifiers of an expression belong; null: it has none.
VectorSelector* selector_of(Expression& expression) {
  if (auto* const vector = std::get_if<VectorSelector>(&expression.node)) return vector;
  auto* const matrix = std::get_if<MatrixSelector>(&expression.node);
  return matrix == nullptr ? nullptr : &matrix->selector;
}

std::unexpected<Error> misplaced(const TokenReader& tokens, const Expression& operand, std::string_view modifier) {
  return tokens.error(operand.at.from, std::string(modifier) +
                                           " modifier must be preceded by an instant vector selector or range vector "
                                           "selector or a subquery");
}

// [5m], [1h:5m]
Status read_range(TokenReader& tokens, ExpressionPtr& operand, std::size_t depth) {
  const std::size_t from = tokens.peek().at.from;
  VARVE_ASSIGN_OR_RETURN(Brackets brackets, read_brackets(tokens, depth));
  const Span at{operand->at.from, tokens.end()};
  if (brackets.subquery) {
    Subquery out{.range = std::move(brackets.range), .step = std::move(brackets.step)};
    out.inner = std::move(operand);
    operand = std::make_unique<Expression>(Expression{std::move(out), {}, at});
    return {};
  }
  auto* const selector = std::get_if<VectorSelector>(&operand->node);
  if (selector == nullptr) return tokens.error(from, "ranges only allowed for vector selectors");
  if (selector->offset.ms != 0 || selector->offset.expression) {
    return tokens.error(from, "no offset modifiers allowed before range");
  }
  if (selector->at) return tokens.error(from, "no @ modifiers allowed before range");
  if (selector->extension != RangeExtension::none) {
    return tokens.error(from, "no smoothed or anchored modifiers allowed before range");
  }
  MatrixSelector out{std::move(*selector), std::move(brackets.range)};
  operand->node = std::move(out);
  operand->at = at;
  return {};
}

Status read_offset_of(TokenReader& tokens, Expression& operand, std::size_t depth) {
  tokens.take();
  VARVE_ASSIGN_OR_RETURN(Duration offset, read_offset(tokens, depth));
  VectorSelector* const selector = selector_of(operand);
  auto* const subquery = std::get_if<Subquery>(&operand.node);
  if (selector == nullptr && subquery == nullptr) return misplaced(tokens, operand, "offset");
  Duration& place = selector != nullptr ? selector->offset : subquery->offset;
  if (place.ms != 0 || place.expression) return tokens.error(operand.at.from, "offset may not be set multiple times");
  place = std::move(offset);
  return {};
}

// Behind the @.
Result<AtModifier> read_time(TokenReader& tokens) {
  constexpr std::string_view kWithin = "@", kExpected = "timestamp";
  constexpr double kTimeEndMs = 9223372036854775808.0;  // 2⁶³
  const bool start = tokens.is_word("start");
  if (start || tokens.is_word("end")) {
    tokens.take();
    if (!tokens.take_sign("(") || !tokens.take_sign(")")) return tokens.unexpected(kWithin, kExpected);
    return AtModifier{.kind = start ? AtModifier::Kind::start : AtModifier::Kind::end};
  }
  const bool negative = tokens.take_sign("-");
  if (!negative) tokens.take_sign("+");
  const Token& token = tokens.peek();
  if (token.kind != Kind::number && token.kind != Kind::duration) return tokens.unexpected(kWithin, kExpected);
  tokens.take();
  VARVE_ASSIGN_OR_RETURN(const double seconds, number_of_token(tokens, token));
  const double ms = std::round((negative ? -seconds : seconds) * 1000);
  if (!(std::abs(ms) < kTimeEndMs)) {
    return tokens.error(token.at.from, "timestamp out of bounds for @ modifier: " + literal_text(seconds));
  }
  return AtModifier{.time_ms = static_cast<std::int64_t>(ms)};
}

Status read_at_of(TokenReader& tokens, Expression& operand) {
  tokens.take();
  VARVE_ASSIGN_OR_RETURN(const AtModifier at, read_time(tokens));
  VectorSelector* const selector = selector_of(operand);
  auto* const subquery = std::get_if<Subquery>(&operand.node);
  if (selector == nullptr && subquery == nullptr) return misplaced(tokens, operand, "@");
  std::optional<AtModifier>& place = selector != nullptr ? selector->at : subquery->at;
  if (place) return tokens.error(operand.at.from, "@ <timestamp> may not be set multiple times");
  place = at;
  return {};
}

// anchored, smoothed
Status read_extension_of(TokenReader& tokens, Expression& operand) {
  const Token& word = tokens.take();
  const bool smoothed = word.value == "smoothed";
  VectorSelector* const selector = selector_of(operand);
  if (selector == nullptr || (!smoothed && std::holds_alternative<VectorSelector>(operand.node))) {
    return tokens.error(operand.at.from, word.value + " modifier must be preceded by " +
                                             (smoothed ? "an instant or range vector selector" : "a range selector"));
  }
  if (selector->extension != RangeExtension::none) {
    return tokens.error(operand.at.from, "anchored and smoothed modifiers cannot be set multiple times");
  }
  selector->extension = smoothed ? RangeExtension::smoothed : RangeExtension::anchored;
  return {};
}

}  // namespace

bool begins_modifier(const TokenReader& tokens) {
  return tokens.is_sign("[") || tokens.is_sign("@") || tokens.is_word("offset") || tokens.is_word("anchored") ||
         tokens.is_word("smoothed");
}

Status read_modifier(TokenReader& tokens, ExpressionPtr& operand, std::size_t depth) {
  if (tokens.is_sign("[")) return read_range(tokens, operand, depth);
  Status status;
  if (tokens.is_sign("@")) {
    status = read_at_of(tokens, *operand);
  } else if (tokens.is_word("offset")) {
    status = read_offset_of(tokens, *operand, depth);
  } else {
    status = read_extension_of(tokens, *operand);
  }
  operand->at.to = tokens.end();
  return status;
}

Status read_binary_modifiers(TokenReader& tokens, Binary& out) {
  out.returns_bool = tokens.take_word("bool");
  Matching& matching = out.matching;
  matching.on = tokens.is_word("on");
  if (!matching.on && !tokens.is_word("ignoring")) return {};
  tokens.take();
  VARVE_ASSIGN_OR_RETURN(matching.labels, read_labels(tokens));
  const bool left = tokens.is_word("group_left");
  if (!left && !tokens.is_word("group_right")) return {};
  tokens.take();
  matching.group = left ? Matching::Group::left : Matching::Group::right;
  if (tokens.is_sign("(")) {
    VARVE_ASSIGN_OR_RETURN(matching.include, read_labels(tokens));
  }
  return {};
}

bool begins_grouping(const TokenReader& tokens) { return tokens.is_word("by") || tokens.is_word("without"); }

Status read_grouping(TokenReader& tokens, Aggregation& out) {
  out.without = tokens.take().value == "without";
  VARVE_ASSIGN_OR_RETURN(out.labels, read_labels(tokens));
  return {};
}

}  // namespace varve::language::promql
