// SPDX-License-Identifier: Apache-2.0
#include "language/promql/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "language/promql/lexer.h"

namespace varve::language::promql {
namespace {

using Op = DurationExpression::Kind;

constexpr double kDurationEndNs = 9223372036854775808.0;  // 2⁶³
constexpr double kNsOfMs = 1e6, kNsOfSecond = 1e9, kMsOfSecond = 1e3;

struct DurationUnit {
  std::string_view name;
  std::int64_t ms = 0;
  bool only_whole = false;  // shown only for whole ones
};
constexpr std::array<DurationUnit, 7> kDurationUnits{{{"y", 365LL * 86'400'000, true},
                                                      {"w", 7LL * 86'400'000, true},
                                                      {"d", 86'400'000},
                                                      {"h", 3'600'000},
                                                      {"m", 60'000},
                                                      {"s", 1000},
                                                      {"ms", 1}}};

class DurationEvaluator {
 public:
  DurationEvaluator(QuerySteps steps, std::string_view text) : steps_(steps), text_(text) {}

  // Seconds. Recurses as deeply as the parser allows.
  Result<double> seconds(const DurationExpression& one) const {
    switch (one.kind) {
      case Op::number: return one.seconds;
      case Op::step: return static_cast<double>(steps_.step_ms) / kMsOfSecond;
      case Op::range: return static_cast<double>(steps_.range_ms) / kMsOfSecond;
      default: break;
    }
    VARVE_ASSIGN_OR_RETURN(const double left, seconds(one.parts[0]));
    if (one.kind == Op::negate) return -left;
    VARVE_ASSIGN_OR_RETURN(const double right, seconds(one.parts[1]));
    switch (one.kind) {
      case Op::add: return left + right;
      case Op::subtract: return left - right;
      case Op::multiply: return left * right;
      case Op::divide:
        if (right == 0) return error_at(text_, one.at.from, "division by zero");
        return left / right;
      case Op::modulo:
        if (right == 0) return error_at(text_, one.at.from, "modulo by zero");
        return std::fmod(left, right);
      case Op::power: return std::pow(left, right);
      case Op::min: return std::min(left, right);
      default: return std::max(left, right);
    }
  }

 private:
  QuerySteps steps_;
  std::string_view text_;
};

class DurationResolver {
 public:
  DurationResolver(QuerySteps steps, std::string_view text) : steps_(steps), text_(text) {}

  Status tree(Expression& one) const {
    return std::visit([this](auto& node) { return this->resolve(node); }, one.node);
  }

 private:
  Status duration(Duration& one, DurationUse use) const {
    if (!one.expression) return {};
    VARVE_ASSIGN_OR_RETURN(one.ms, evaluated_ms(*one.expression, steps_, use, text_));
    return {};
  }
  Status child(const ExpressionPtr& one) const { return one ? tree(*one) : Status{}; }

  static Status resolve(NumberLiteral&) { return {}; }
  static Status resolve(StringLiteral&) { return {}; }
  Status resolve(VectorSelector& one) const { return duration(one.offset, DurationUse::offset); }
  Status resolve(MatrixSelector& one) const {
    VARVE_RETURN_IF_ERROR(duration(one.range, DurationUse::range));
    return resolve(one.selector);
  }
  Status resolve(Subquery& one) const {
    VARVE_RETURN_IF_ERROR(child(one.inner));
    VARVE_RETURN_IF_ERROR(duration(one.range, DurationUse::range));
    if (one.step) VARVE_RETURN_IF_ERROR(duration(*one.step, DurationUse::range));
    return duration(one.offset, DurationUse::offset);
  }
  Status resolve(Unary& one) const { return child(one.inner); }
  Status resolve(Binary& one) const {
    VARVE_RETURN_IF_ERROR(child(one.left));
    return child(one.right);
  }
  Status resolve(Aggregation& one) const {
    VARVE_RETURN_IF_ERROR(child(one.parameter));
    return child(one.inner);
  }
  Status resolve(Call& one) const {
    for (const auto& argument : one.arguments) VARVE_RETURN_IF_ERROR(child(argument));
    return {};
  }
  Status resolve(Parentheses& one) const { return child(one.inner); }

  QuerySteps steps_;
  std::string_view text_;
};

}  // namespace

std::optional<std::int64_t> duration_ms(std::string_view text) {
  double sum_ms = 0;
  const auto* unit = kDurationUnits.begin();
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, count);
    if (read.ec != std::errc() || text[0] == '-') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    const std::string_view name = text.substr(0, text.starts_with("ms") ? 2 : 1);
    unit = std::find_if(unit, kDurationUnits.end(), [&](const auto& one) { return one.name == name; });
    if (unit == kDurationUnits.end()) return std::nullopt;
    text.remove_prefix(name.size());
    sum_ms += static_cast<double>(count) * static_cast<double>(unit->ms);
    if (sum_ms * kNsOfMs >= kDurationEndNs) return std::nullopt;
    ++unit;
  }
  return static_cast<std::int64_t>(sum_ms);
}

std::string duration_text(std::int64_t ms) {
  if (ms == 0) return "0s";
  std::string out = ms < 0 ? "-" : "";
  std::uint64_t left = ms < 0 ? 0 - static_cast<std::uint64_t>(ms) : static_cast<std::uint64_t>(ms);
  for (const auto& unit : kDurationUnits) {
    const auto of_unit = static_cast<std::uint64_t>(unit.ms);
    if (left < of_unit || (unit.only_whole && left % of_unit != 0)) continue;
    out += std::to_string(left / of_unit) + std::string(unit.name);
    left %= of_unit;
  }
  return out;
}

Status resolve_durations(Expression& root, QuerySteps steps, std::string_view text) {
  return DurationResolver(steps, text).tree(root);
}

Result<std::int64_t> evaluated_ms(const DurationExpression& expression, QuerySteps steps, DurationUse use,
                                  std::string_view text) {
  VARVE_ASSIGN_OR_RETURN(const double seconds, DurationEvaluator(steps, text).seconds(expression));
  const double ns = std::round(seconds * kNsOfSecond);
  if (!(std::abs(ns) < kDurationEndNs)) return error_at(text, expression.at.from, "duration out of range");
  const auto ms = static_cast<std::int64_t>(ns / kNsOfMs);
  if (use == DurationUse::range && ms <= 0) {
    return error_at(text, expression.at.from, "duration must be greater than 0");
  }
  return ms;
}

bool depends_on_steps(const DurationExpression& expression) {
  if (expression.kind == Op::step || expression.kind == Op::range) return true;
  return std::ranges::any_of(expression.parts, depends_on_steps);
}

}  // namespace varve::language::promql
