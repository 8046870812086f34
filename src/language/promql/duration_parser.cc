// SPDX-License-Identifier: Apache-2.0
#include "language/promql/duration_parser.h"

#include <memory>
#include <string>
#include <utility>

#include "language/promql/duration.h"
#include "language/promql/literal.h"
#include "language/promql/nesting.h"

namespace varve::language::promql {
namespace {

using Kind = Token::Kind;
using Op = DurationExpression::Kind;

constexpr std::string_view kDurationsExpected = "number, duration, step(), or range()";
constexpr int kPowerOfDurations = 3;

struct DurationOperator {
  Op op{};
  int strength = 0;  // higher ones bind tighter
};

std::optional<DurationOperator> duration_operator_of(const Token& token) {
  if (token.kind != Kind::sign || token.text.size() != 1) return std::nullopt;
  switch (token.text[0]) {
    case '+': return DurationOperator{Op::add, 1};
    case '-': return DurationOperator{Op::subtract, 1};
    case '*': return DurationOperator{Op::multiply, 2};
    case '/': return DurationOperator{Op::divide, 2};
    case '%': return DurationOperator{Op::modulo, 2};
    case '^': return DurationOperator{Op::power, kPowerOfDurations};
    default: return std::nullopt;
  }
}

class DurationParser {
 public:
  DurationParser(TokenReader& tokens, std::string_view within) : tokens_(tokens), within_(within) {}

  // Operators that bind as tightly as `strength` at least.
  Result<Nested<DurationExpression>> expression(int strength, std::size_t depth) {
    VARVE_RETURN_IF_ERROR(check_nesting(tokens_, depth));
    VARVE_ASSIGN_OR_RETURN(auto left, signed_one(depth));
    while (const auto found = duration_operator_of(tokens_.peek())) {
      if (found->strength < strength) break;
      tokens_.take();
      // ^ is done from the right.
      const int tighter = found->op == Op::power ? found->strength : found->strength + 1;
      VARVE_ASSIGN_OR_RETURN(auto right, expression(tighter, depth + 1));
      const std::size_t height = std::max(left.height, right.height) + 1;
      VARVE_RETURN_IF_ERROR(check_nesting(tokens_, height));
      DurationExpression both{.kind = found->op, .at = {left.value.at.from, right.value.at.to}};
      both.parts.push_back(std::move(left.value));
      both.parts.push_back(std::move(right.value));
      left = {std::move(both), height};
    }
    return left;
  }

  // One operand of the expression, with a sign.
  Result<Nested<DurationExpression>> operand(std::size_t depth) {
    VARVE_RETURN_IF_ERROR(check_nesting(tokens_, depth));
    return with_sign([&] { return primary(depth + 1); });
  }

 private:
  Result<Nested<DurationExpression>> signed_one(std::size_t depth) {
    if (!tokens_.is_sign("-") && !tokens_.is_sign("+")) return primary(depth);
    return with_sign([&] { return expression(kPowerOfDurations, depth + 1); });
  }

  template <class Read>
  Result<Nested<DurationExpression>> with_sign(const Read& read) {
    const std::size_t from = tokens_.peek().at.from;
    const bool negative = tokens_.take_sign("-");
    if (!negative) tokens_.take_sign("+");
    VARVE_ASSIGN_OR_RETURN(Nested<DurationExpression> inner, read());
    if (inner.value.kind == Op::number && !inner.value.parentheses) {
      if (negative) inner.value.seconds = -inner.value.seconds;
    } else if (negative) {
      DurationExpression out{.kind = Op::negate, .at = inner.value.at};
      out.parts.push_back(std::move(inner.value));
      inner = {std::move(out), inner.height + 1};
    }
    inner.value.at.from = from;
    return inner;
  }

  Result<Nested<DurationExpression>> primary(std::size_t depth) {
    const Token& token = tokens_.peek();
    if (token.kind == Kind::number || token.kind == Kind::duration) return number();
    if (token.kind == Kind::word && tokens_.is_sign("(", 1)) {
      if (token.value == "step" || token.value == "range")
        return query_time(token.value == "step" ? Op::step : Op::range);
      if (token.value == "min" || token.value == "min_of") return extreme(Op::min, depth);
      if (token.value == "max" || token.value == "max_of") return extreme(Op::max, depth);
    }
    if (!tokens_.take_sign("(")) return tokens_.unexpected(within_, kDurationsExpected);
    VARVE_ASSIGN_OR_RETURN(auto inner, expression(1, depth + 1));
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
    // Parentheses around parentheses say nothing more.
    inner.value.parentheses = true;
    inner.value.at = {token.at.from, tokens_.end()};
    return inner;
  }

  Result<Nested<DurationExpression>> number() {
    const Token& token = tokens_.take();
    DurationExpression out{.kind = Op::number, .unit = token.kind == Kind::duration, .at = token.at};
    VARVE_ASSIGN_OR_RETURN(out.seconds, number_of_token(tokens_, token));
    return Nested<DurationExpression>{std::move(out), 1};
  }

  // step()
  Result<Nested<DurationExpression>> query_time(Op op) {
    DurationExpression out{.kind = op, .at = tokens_.take().at};
    tokens_.take();
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
    out.at.to = tokens_.end();
    return Nested<DurationExpression>{std::move(out), 1};
  }

  // min(a, b)
  Result<Nested<DurationExpression>> extreme(Op op, std::size_t depth) {
    DurationExpression out{.kind = op, .at = tokens_.take().at};
    tokens_.take();
    VARVE_ASSIGN_OR_RETURN(auto left, expression(1, depth + 1));
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign(","));
    VARVE_ASSIGN_OR_RETURN(auto right, expression(1, depth + 1));
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
    out.at.to = tokens_.end();
    out.parts.push_back(std::move(left.value));
    out.parts.push_back(std::move(right.value));
    return Nested<DurationExpression>{std::move(out), std::max(left.height, right.height) + 1};
  }

  TokenReader& tokens_;
  std::string_view within_;
};

// Of what is a number no tree is kept.
Result<Duration> duration_of(const TokenReader& tokens, DurationExpression expression, DurationUse use) {
  Duration out;
  if (!depends_on_steps(expression)) {
    VARVE_ASSIGN_OR_RETURN(out.ms, evaluated_ms(expression, {}, use, tokens.query()));
  }
  if (expression.kind != Op::number || expression.parentheses) {
    out.expression = std::make_unique<DurationExpression>(std::move(expression));
  }
  return out;
}

}  // namespace

Result<Brackets> read_brackets(TokenReader& tokens, std::size_t depth) {
  tokens.take();
  DurationParser parser(tokens, "subquery or range");
  Brackets out;
  VARVE_ASSIGN_OR_RETURN(auto range, parser.expression(1, depth));
  VARVE_ASSIGN_OR_RETURN(out.range, duration_of(tokens, std::move(range.value), DurationUse::range));
  out.subquery = tokens.take_sign(":");
  if (!out.subquery && !tokens.is_sign("]")) return tokens.unexpected("subquery or range", "\":\" or \"]\"");
  if (tokens.take_sign("]")) return out;
  VARVE_ASSIGN_OR_RETURN(auto step, DurationParser(tokens, "subquery selector").expression(1, depth));
  VARVE_ASSIGN_OR_RETURN(out.step, duration_of(tokens, std::move(step.value), DurationUse::range));
  if (!tokens.take_sign("]")) return tokens.unexpected("subquery selector", "\"]\"");
  return out;
}

Result<Duration> read_offset(TokenReader& tokens, std::size_t depth) {
  VARVE_ASSIGN_OR_RETURN(auto offset, DurationParser(tokens, "offset").operand(depth));
  return duration_of(tokens, std::move(offset.value), DurationUse::offset);
}

}  // namespace varve::language::promql
