// SPDX-License-Identifier: Apache-2.0
#include "language/promql/print.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "base/ascii.h"
#include "language/promql/duration.h"
#include "language/promql/literal.h"
#include "language/promql/names.h"
#include "language/promql/print_parts.h"

namespace varve::language::promql {
namespace {

using DurationOp = DurationExpression::Kind;

// A label without quotes.
bool is_plain(std::string_view name) {
  constexpr CharSet kParts("_", true);
  return !name.empty() && !std::string_view("0123456789").contains(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return kParts.contains(c); });
}
std::string label_text(const std::string& name) { return is_plain(name) ? name : quoted(name); }

std::string labels_text(const std::vector<std::string>& names) {
  std::string out = "(";
  for (const auto& name : names) out += (out.size() > 1 ? ", " : "") + label_text(name);
  return out + ")";
}

std::string seconds_text(double seconds, bool with_unit) {
  const double ms = seconds * 1000;
  const bool fits = ms == std::round(ms) && std::abs(ms) < 9e15 && (ms != 0 || !std::signbit(ms));
  return with_unit && fits ? duration_text(static_cast<std::int64_t>(ms)) : literal_text(seconds);
}

std::string duration_expression_text(const DurationExpression& one) {
  constexpr std::array<std::string_view, 6> kSigns{" + ", " - ", " * ", " / ", " % ", " ^ "};
  std::string out;
  const auto part = [&](std::size_t i) { return duration_expression_text(one.parts[i]); };
  switch (one.kind) {
    case DurationOp::number: out = seconds_text(one.seconds, one.unit); break;
    case DurationOp::step: out = "step()"; break;
    case DurationOp::range: out = "range()"; break;
    case DurationOp::negate: out = "-" + part(0); break;
    case DurationOp::min: out = "min(" + part(0) + ", " + part(1) + ")"; break;
    case DurationOp::max: out = "max(" + part(0) + ", " + part(1) + ")"; break;
    default: {
      const auto sign = static_cast<std::size_t>(one.kind) - static_cast<std::size_t>(DurationOp::add);
      out = part(0) + std::string(kSigns[sign]) + part(1);
    }
  }
  return one.parentheses ? "(" + out + ")" : out;
}

std::string time_text(const Duration& one) {
  return one.expression ? duration_expression_text(*one.expression) : duration_text(one.ms);
}

std::string at_text(const std::optional<AtModifier>& at) {
  if (!at) return "";
  if (at->kind == AtModifier::Kind::start) return " @ start()";
  if (at->kind == AtModifier::Kind::end) return " @ end()";
  const std::uint64_t ms =
      at->time_ms < 0 ? 0 - static_cast<std::uint64_t>(at->time_ms) : static_cast<std::uint64_t>(at->time_ms);
  const std::string rest = std::to_string(ms % 1000);
  return std::string(at->time_ms < 0 ? " @ -" : " @ ") + std::to_string(ms / 1000) + "." +
         std::string(3 - rest.size(), '0') + rest;
}

std::string offset_text(const Duration& one) {
  return one.ms == 0 && !one.expression ? "" : " offset " + time_text(one);
}

std::string extension_text(RangeExtension extension) {
  if (extension == RangeExtension::none) return "";
  return extension == RangeExtension::anchored ? " anchored" : " smoothed";
}

std::string modifiers_text(const VectorSelector& one) {
  return extension_text(one.extension) + at_text(one.at) + offset_text(one.offset);
}

std::string matchers_text(const VectorSelector& one) {
  std::vector<std::string> all;
  for (const Matcher& matcher : one.matchers) {
    const bool of_name = matcher.name == kNameLabel && matcher.op == MatchOp::equal && !matcher.value.empty();
    if (of_name && matcher.value == one.name) continue;
    all.push_back(label_text(matcher.name).append(name_of(matcher.op)) + quoted(matcher.value));
  }
  std::ranges::sort(all);
  std::string out;
  for (const auto& text : all) out += (out.empty() ? "" : ",") + text;
  if (out.empty() && !one.name.empty()) return one.name;
  return one.name + "{" + out + "}";
}

// Appends, as copies of parts within parts would cost their depth.
class OneLinePrinter {
 public:
  void tree(const Expression& one) {
    std::visit([this](const auto& node) { this->add(node); }, one.node);
  }
  std::string take() { return std::move(out_); }

 private:
  void add(const NumberLiteral& one) { out_ += seconds_text(one.value, one.duration); }
  void add(const StringLiteral& one) { out_ += quoted(one.value); }
  void add(const VectorSelector& one) { out_ += matchers_text(one) + modifiers_text(one); }
  void add(const MatrixSelector& one) {
    out_ += matchers_text(one.selector) + "[" + time_text(one.range) + "]" + modifiers_text(one.selector);
  }
  void add(const Subquery& one) {
    tree(*one.inner);
    out_ += tail_text(one);
  }
  void add(const Unary& one) {
    out_ += one.negate ? "-" : "+";
    tree(*one.inner);
  }
  void add(const Binary& one) {
    tree(*one.left);
    out_ += " " + operator_text(one) + " ";
    tree(*one.right);
  }
  void add(const Aggregation& one) {
    out_ += head_text(one) + "(";
    if (one.parameter) {
      tree(*one.parameter);
      out_ += ", ";
    }
    tree(*one.inner);
    out_ += ")";
  }
  void add(const Call& one) {
    out_ += head_text(one) + "(";
    for (const auto& argument : one.arguments) {
      if (&argument != one.arguments.data()) out_ += ", ";
      tree(*argument);
    }
    out_ += ")" + tail_text(one);
  }
  void add(const Parentheses& one) {
    out_ += "(";
    tree(*one.inner);
    out_ += ")";
  }

  std::string out_;
};

}  // namespace

std::string head_text(const Aggregation& aggregation) {
  const std::string name(name_of(aggregation.op));
  if (aggregation.without) return name + " without " + labels_text(aggregation.labels) + " ";
  return aggregation.labels.empty() ? name : name + " by " + labels_text(aggregation.labels) + " ";
}

std::string operator_text(const Binary& binary) {
  std::string out(name_of(binary.op));
  const Matching& matching = binary.matching;
  if (binary.returns_bool) out += " bool";
  const bool grouped = matching.group != Matching::Group::none;
  if (matching.on || !matching.labels.empty() || grouped) {
    out += (matching.on ? " on " : " ignoring ") + labels_text(matching.labels);
  }
  if (grouped) {
    out += (matching.group == Matching::Group::left ? " group_left " : " group_right ") + labels_text(matching.include);
  }
  return out;
}

std::string tail_text(const Subquery& subquery) {
  return "[" + time_text(subquery.range) + ":" + (subquery.step ? time_text(*subquery.step) : "") + "]" +
         at_text(subquery.at) + offset_text(subquery.offset);
}

std::string head_text(const Call& call) { return std::string(function_of(call.function).name); }
std::string tail_text(const Call& call) { return call.keep_metric_names ? " keep_metric_names" : ""; }

std::string one_line(const Expression& root) {
  OneLinePrinter printer;
  printer.tree(root);
  return printer.take();
}

}  // namespace varve::language::promql
