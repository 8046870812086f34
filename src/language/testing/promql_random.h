// SPDX-License-Identifier: Apache-2.0
// For tests: random trees of PromQL that are right, with parentheses where the text needs them and at some other
// places.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "language/promql/duration.h"
#include "language/promql/expression.h"
#include "language/promql/literal.h"
#include "language/promql/names.h"

namespace varve::language::testing {

class RandomPromql {
 public:
  explicit RandomPromql(std::uint64_t seed) : random_(seed) {}

  promql::ExpressionPtr any(int depth) {
    switch (below(8)) {
      case 0: return scalar(depth);
      case 1: return matrix(depth);
      case 2: return made(promql::StringLiteral{text()});
      default: return vector(depth);
    }
  }

 private:
  using Expression = promql::Expression;
  using ExpressionPtr = promql::ExpressionPtr;

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  const char* one_of(std::initializer_list<const char*> list) { return list.begin()[below(list.size())]; }
  static ExpressionPtr made(Expression::Node node) {
    return std::make_unique<Expression>(Expression{std::move(node), {}, {}});
  }
  ExpressionPtr parenthesized(ExpressionPtr inner) { return made(promql::Parentheses{std::move(inner)}); }

  std::string text() { return one_of({"", "a", "a\"b'c`", "\\d+\n", "\xc3\xa4\x01", "\xff", "x y"}); }

  promql::Duration duration(bool positive) {
    promql::Duration out;
    if (!one_in(3)) {
      out.ms = static_cast<std::int64_t>(below(100'000'000)) + 1;
      if (!positive && one_in(2)) out.ms = -out.ms;
      return out;
    }
    promql::DurationExpression tree = positive ? duration_sum(2) : duration_operand(2);
    if (tree.kind == promql::DurationExpression::Kind::number) tree.parentheses = true;
    if (!promql::depends_on_steps(tree)) {
      const auto use = positive ? promql::DurationUse::range : promql::DurationUse::offset;
      const auto ms = promql::evaluated_ms(tree, {}, use, "1");
      if (!ms) return duration(positive);
      out.ms = *ms;
    }
    out.expression = std::make_unique<promql::DurationExpression>(std::move(tree));
    return out;
  }

  promql::DurationExpression duration_operand(int depth) {
    using Kind = promql::DurationExpression::Kind;
    promql::DurationExpression out;
    switch (below(depth > 0 ? 5 : 3)) {
      case 0: out.kind = Kind::step; break;
      case 1: out.kind = Kind::range; break;
      case 2:
        out.seconds = static_cast<double>(below(10'000)) / 1000;
        out.unit = one_in(2);
        out.parentheses = true;
        break;
      case 3:
        out.kind = one_in(2) ? Kind::min : Kind::max;
        out.parts.push_back(duration_sum(depth - 1));
        out.parts.push_back(duration_sum(depth - 1));
        break;
      default: out = duration_sum(depth - 1); out.parentheses = true;
    }
    if (!one_in(4)) return out;
    promql::DurationExpression negative{.kind = Kind::negate};
    negative.parts.push_back(std::move(out));
    return negative;
  }

  // a + b * c: what binds less has parentheses.
  promql::DurationExpression duration_sum(int depth) {
    using Kind = promql::DurationExpression::Kind;
    if (depth <= 0 || one_in(3)) return duration_operand(depth);
    promql::DurationExpression out;
    out.kind = static_cast<Kind>(static_cast<int>(Kind::add) + static_cast<int>(below(6)));
    out.parts.push_back(duration_operand(depth - 1));
    out.parts.push_back(duration_operand(depth - 1));
    if (out.kind == Kind::power && out.parts[0].kind == Kind::negate) out.parts[0].parentheses = true;
    return out;
  }

  std::optional<promql::AtModifier> at() {
    using Kind = promql::AtModifier::Kind;
    if (!one_in(4)) return std::nullopt;
    const auto kind = static_cast<Kind>(below(3));
    return promql::AtModifier{kind, kind == Kind::time ? static_cast<std::int64_t>(below(1'000'000)) - 500'000 : 0};
  }

  promql::VectorSelector selector() {
    promql::VectorSelector out;
    for (const char* const label : {"a", "b", "sum"}) {
      if (!one_in(3)) continue;
      const auto op = static_cast<promql::MatchOp>(below(2));
      out.matchers.push_back({label, op, text()});
    }
    if (one_in(3)) {
      out.matchers.insert(out.matchers.begin(), {"c.d", promql::MatchOp::equal, "e"});
    } else {
      out.name = one_of({"m", "a:b", "sum", "offset", "and", "Range"});
      out.matchers.push_back({std::string(promql::kNameLabel), promql::MatchOp::equal, out.name});
    }
    if (one_in(4)) out.offset = duration(false);
    out.at = at();
    return out;
  }

  ExpressionPtr matrix(int depth) {
    if (depth > 0 && one_in(3)) {
      promql::Subquery out{.inner = operand(vector(depth - 1)), .range = duration(true)};
      if (one_in(2)) out.step = duration(true);
      if (one_in(3)) out.offset = duration(false);
      out.at = at();
      return made(std::move(out));
    }
    return made(promql::MatrixSelector{selector(), duration(true)});
  }

  ExpressionPtr scalar(int depth) {
    if (depth <= 0 || one_in(3)) {
      const double value =
          one_in(4) ? static_cast<double>(below(1'000'000)) * 1e3 : (static_cast<double>(below(10'000)) - 5'000) / 16;
      if (one_in(20)) return made(promql::NumberLiteral{-HUGE_VAL});
      return one_in(5) ? made(promql::NumberLiteral{300, true}) : made(promql::NumberLiteral{value});
    }
    switch (below(4)) {
      case 0: return call(promql::FunctionId::time, {});
      case 1: {
        std::vector<ExpressionPtr> arguments;
        arguments.push_back(vector(depth - 1));
        return call(promql::FunctionId::scalar, std::move(arguments));
      }
      case 2: return signed_one(scalar(depth - 1));
      default: return binary(scalar(depth - 1), scalar(depth - 1), false);
    }
  }

  ExpressionPtr vector(int depth) {
    if (depth <= 0) return made(selector());
    switch (below(8)) {
      case 0: return made(selector());
      case 1: return parenthesized(vector(depth - 1));
      case 2: return signed_one(vector(depth - 1));
      case 3: return aggregation(depth);
      case 4: {
        std::vector<ExpressionPtr> arguments;
        arguments.push_back(matrix(depth - 1));
        auto out = call(promql::FunctionId::rate, std::move(arguments));
        std::get<promql::Call>(out->node).keep_metric_names = one_in(3);
        return out;
      }
      case 5: {
        std::vector<ExpressionPtr> arguments;
        arguments.push_back(vector(depth - 1));
        arguments.push_back(scalar(depth - 1));
        return call(promql::FunctionId::round, std::move(arguments));
      }
      case 6: return binary(vector(depth - 1), scalar(depth - 1), false);
      default: return binary(vector(depth - 1), vector(depth - 1), true);
    }
  }

  ExpressionPtr call(promql::FunctionId function, std::vector<ExpressionPtr> arguments) {
    promql::Call out{.function = function};
    out.arguments = std::move(arguments);
    return made(std::move(out));
  }

  std::vector<std::string> labels() {
    std::vector<std::string> out;
    while (one_in(2)) out.emplace_back(one_of({"a", "b", "by", "c.d"}));
    return out;
  }

  ExpressionPtr aggregation(int depth) {
    promql::Aggregation out{.op = static_cast<promql::AggregationOp>(below(14)), .without = one_in(3)};
    out.labels = labels();
    if (out.op == promql::AggregationOp::count_values) {
      out.parameter = made(promql::StringLiteral{text()});
    } else if (promql::has_parameter(out.op)) {
      out.parameter = scalar(depth - 1);
    }
    out.inner = vector(depth - 1);
    return made(std::move(out));
  }

  ExpressionPtr binary(ExpressionPtr left, ExpressionPtr right, bool vectors) {
    using Group = promql::Matching::Group;
    promql::Binary out{.op = static_cast<promql::BinaryOp>(below(vectors ? 19 : 15))};
    const bool grouped = !promql::is_set_operator(out.op) && out.op != promql::BinaryOp::default_to;
    if (vectors && one_in(2)) {
      out.matching.on = one_in(2);
      out.matching.labels = labels();
      if (grouped) out.matching.group = static_cast<Group>(below(3));
      if (out.matching.group != Group::none && one_in(2)) out.matching.include = {"z"};
    }
    out.returns_bool = promql::is_comparison(out.op) && (!vectors || one_in(2));
    out.left = side(std::move(left), out.op, true);
    out.right = side(std::move(right), out.op, false);
    return made(std::move(out));
  }

  // As an operand of `op`.
  ExpressionPtr side(ExpressionPtr one, promql::BinaryOp op, bool is_left) {
    const bool power = op == promql::BinaryOp::power;
    bool needed = false;
    if (const auto* const inner = std::get_if<promql::Binary>(&one->node)) {
      const int own = promql::strength_of(op), other = promql::strength_of(inner->op);
      needed = is_left == power ? other <= own : other < own;
    } else if (is_left && power) {
      needed = begins_with_sign(*one);
    }
    return needed || one_in(10) ? parenthesized(std::move(one)) : std::move(one);
  }

  static bool begins_with_sign(const Expression& one) {
    const auto* const number = std::get_if<promql::NumberLiteral>(&one.node);
    if (number == nullptr) return std::holds_alternative<promql::Unary>(one.node);
    const std::string text = promql::literal_text(number->value);
    return text.starts_with('-') || text.starts_with('+');
  }

  // What a sign, or brackets, may belong to.
  ExpressionPtr operand(ExpressionPtr one) {
    const auto* const inner = std::get_if<promql::Binary>(&one->node);
    const bool whole = inner == nullptr && !std::holds_alternative<promql::Unary>(one->node);
    return whole ? std::move(one) : parenthesized(std::move(one));
  }

  ExpressionPtr signed_one(ExpressionPtr one) {
    const auto* const inner = std::get_if<promql::Binary>(&one->node);
    const bool binds =
        inner != nullptr && promql::strength_of(inner->op) < promql::strength_of(promql::BinaryOp::power);
    if (binds || std::holds_alternative<promql::NumberLiteral>(one->node)) one = parenthesized(std::move(one));
    return made(promql::Unary{one_in(2), std::move(one)});
  }

  std::mt19937_64 random_;
};

}  // namespace varve::language::testing
