// SPDX-License-Identifier: Apache-2.0
// For tests: a query of PromQL as one line of text, with all parentheses, so that a tree shows.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "language/promql/duration.h"
#include "language/promql/expression.h"
#include "language/promql/literal.h"
#include "language/promql/names.h"

namespace varve::language::testing {

std::string text_of(const promql::Expression& expression);

inline std::string text_of(const promql::DurationExpression& one) {
  using Kind = promql::DurationExpression::Kind;
  constexpr const char* kNames[] = {"", "step", "range", "neg", "+", "-", "*", "/", "%", "^", "min", "max"};
  if (one.kind == Kind::number) return promql::literal_text(one.seconds) + "s";
  std::string out = std::string("(") + kNames[static_cast<int>(one.kind)];
  for (const auto& part : one.parts) out += " " + text_of(part);
  return out + ")";
}

inline std::string text_of(const promql::Duration& one) {
  if (!one.expression) return std::to_string(one.ms) + "ms";
  return text_of(*one.expression) + "=" + std::to_string(one.ms) + "ms";
}

inline std::string labels_of(const std::vector<std::string>& labels) {
  std::string out;
  for (const auto& label : labels) out += (out.empty() ? "" : ",") + label;
  return "[" + out + "]";
}

inline std::string text_of(const std::optional<promql::AtModifier>& at) {
  using Kind = promql::AtModifier::Kind;
  if (!at) return "";
  return at->kind == Kind::start ? " @start" : at->kind == Kind::end ? " @end" : " @" + std::to_string(at->time_ms);
}

struct PromqlText {
  std::string operator()(const promql::NumberLiteral& one) const {
    return promql::literal_text(one.value) + (one.duration ? "s" : "");
  }
  std::string operator()(const promql::StringLiteral& one) const { return "'" + one.value + "'"; }
  std::string operator()(const promql::VectorSelector& one) const {
    constexpr const char* kOps[] = {"=", "!=", "=~", "!~"};
    std::string out = one.name + "{";
    for (const auto& matcher : one.matchers) {
      if (&matcher != one.matchers.data()) out += ",";
      out += matcher.name + kOps[static_cast<int>(matcher.op)] + "'" + matcher.value + "'";
    }
    out += "}" + modifiers(one.offset, one.at);
    constexpr const char* kExtensions[] = {"", " anchored", " smoothed"};
    return out + kExtensions[static_cast<int>(one.extension)];
  }
  std::string operator()(const promql::MatrixSelector& one) const {
    return "(range " + (*this)(one.selector) + " " + text_of(one.range) + ")";
  }
  std::string operator()(const promql::Subquery& one) const {
    return "(sub " + text_of(*one.inner) + " " + text_of(one.range) + " " + (one.step ? text_of(*one.step) : "-") +
           modifiers(one.offset, one.at) + ")";
  }
  std::string operator()(const promql::Unary& one) const {
    return std::string(one.negate ? "(neg " : "(pos ") + text_of(*one.inner) + ")";
  }
  std::string operator()(const promql::Binary& one) const {
    std::string out = "(" + std::string(promql::name_of(one.op)) + (one.returns_bool ? " bool" : "");
    const auto& matching = one.matching;
    if (matching.on || !matching.labels.empty())
      out += (matching.on ? " on" : " ignoring") + labels_of(matching.labels);
    using Group = promql::Matching::Group;
    if (matching.group != Group::none) {
      out += (matching.group == Group::left ? " left" : " right") + labels_of(matching.include);
    }
    return out + " " + text_of(*one.left) + " " + text_of(*one.right) + ")";
  }
  std::string operator()(const promql::Aggregation& one) const {
    std::string out = "(" + std::string(promql::name_of(one.op));
    if (one.without || !one.labels.empty()) out += (one.without ? " without" : " by") + labels_of(one.labels);
    if (one.parameter) out += " " + text_of(*one.parameter);
    return out + " " + text_of(*one.inner) + ")";
  }
  std::string operator()(const promql::Call& one) const {
    std::string out = "(" + std::string(promql::function_of(one.function).name);
    if (one.keep_metric_names) out += " keep";
    for (const auto& argument : one.arguments) out += " " + text_of(*argument);
    return out + ")";
  }
  std::string operator()(const promql::Parentheses& one) const { return "(" + text_of(*one.inner) + ")"; }

 private:
  static std::string modifiers(const promql::Duration& offset, const std::optional<promql::AtModifier>& at) {
    const bool moved = offset.ms != 0 || offset.expression != nullptr;
    return (moved ? " offset " + text_of(offset) : "") + text_of(at);
  }
};

inline std::string text_of(const promql::Expression& expression) { return std::visit(PromqlText(), expression.node); }

}  // namespace varve::language::testing
