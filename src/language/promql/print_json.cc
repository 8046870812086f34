// SPDX-License-Identifier: Apache-2.0
#include "language/promql/print_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "language/promql/names.h"

namespace varve::language::promql {
namespace {

using protocol::json::Writer;

std::string_view json_name_of(ValueType type) {
  constexpr std::array<std::string_view, 4> kNames{"scalar", "vector", "matrix", "string"};
  return kNames[static_cast<std::size_t>(type)];
}

// Without an exponent.
std::string plain_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  std::array<char, 1100> text;  // the smallest double has 324 digits behind the point before its own
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return {text.data(), written.ptr};
}

// Recurses as deep as the tree is high, which is bounded (kHeightMax).
class TreeWriter {
 public:
  explicit TreeWriter(Writer& json) : json_(json) {}

  void tree(const Expression& one) {
    json_.begin_object();
    std::visit([this](const auto& node) { this->add(node); }, one.node);
    json_.end_object();
  }

 private:
  void subtree(std::string_view name, const ExpressionPtr& one) {
    json_.key(name);
    one ? tree(*one) : static_cast<void>(json_.null());
  }

  void add(const NumberLiteral& one) { json_.member("type", "numberLiteral").member("val", plain_number(one.value)); }
  void add(const StringLiteral& one) { json_.member("type", "stringLiteral").member("val", one.value); }
  void add(const VectorSelector& one) {
    json_.member("type", "vectorSelector");
    selector(one);
  }
  void add(const MatrixSelector& one) {
    json_.member("type", "matrixSelector").member("range", one.range.ms);
    selector(one.selector);
  }
  void add(const Subquery& one) {
    json_.member("type", "subquery");
    subtree("expr", one.inner);
    json_.member("range", one.range.ms).member("step", one.step ? one.step->ms : 0);
    times(one.offset, one.at);
  }
  void add(const Unary& one) {
    json_.member("type", "unaryExpr").member("op", one.negate ? "-" : "+");
    subtree("expr", one.inner);
  }
  void add(const Parentheses& one) {
    json_.member("type", "parenExpr");
    subtree("expr", one.inner);
  }
  void add(const Aggregation& one) {
    json_.member("type", "aggregation").member("op", name_of(one.op));
    subtree("expr", one.inner);
    subtree("param", one.parameter);
    json_.key("grouping").array(one.labels).member("without", one.without);
  }
  void add(const Binary& one) {
    json_.member("type", "binaryExpr").member("op", name_of(one.op));
    subtree("lhs", one.left);
    subtree("rhs", one.right);
    json_.key("matching");
    if (one.left->type == ValueType::vector && one.right->type == ValueType::vector) {
      matching(one);
    } else {
      json_.null();
    }
    json_.member("bool", one.returns_bool);
  }
  void add(const Call& one) {
    json_.member("type", "call").key("func");
    function(function_of(one.function));
    json_.key("args").begin_array();
    for (const auto& argument : one.arguments) tree(*argument);
    json_.end_array();
    if (one.keep_metric_names) json_.member("keepMetricNames", true);
  }

  void selector(const VectorSelector& one) {
    constexpr std::array<std::string_view, 4> kOps{"=", "!=", "=~", "!~"};
    json_.member("name", one.name);
    times(one.offset, one.at);
    json_.key("matchers").begin_array();
    for (const Matcher& matcher : one.matchers) {
      json_.begin_object().member("name", matcher.name).member("value", matcher.value);
      json_.member("type", kOps[static_cast<std::size_t>(matcher.op)]).end_object();
    }
    json_.end_array();
    json_.member("anchored", one.extension == RangeExtension::anchored);
    json_.member("smoothed", one.extension == RangeExtension::smoothed);
  }

  void times(const Duration& offset, const std::optional<AtModifier>& at) {
    json_.member("offset", offset.ms).key("timestamp");
    at && at->kind == AtModifier::Kind::time ? json_.value(at->time_ms) : json_.null();
    json_.key("startOrEnd");
    at && at->kind != AtModifier::Kind::time ? json_.value(at->kind == AtModifier::Kind::start ? "start" : "end")
                                             : json_.null();
  }

  void matching(const Binary& one) {
    const Matching& how = one.matching;
    const std::string_view card = is_set_operator(one.op)               ? "many-to-many"
                                  : how.group == Matching::Group::left  ? "many-to-one"
                                  : how.group == Matching::Group::right ? "one-to-many"
                                                                        : "one-to-one";
    json_.begin_object().member("card", card).key("labels").array(how.labels);
    json_.member("on", how.on).key("include").array(how.include).end_object();
  }

  // Prometheus counts in how many arguments a call may have beyond all but the last type; -1: any number.
  void function(const Function& one) {
    const bool is_exact = one.required == one.most;
    const bool has_no_end = one.most == std::numeric_limits<std::size_t>::max();
    const std::size_t types = is_exact ? one.most : one.required + 1;
    json_.begin_object().member("name", one.name).key("argTypes").begin_array();
    for (std::size_t i = 0; i < types && !one.arguments.empty(); ++i) {
      json_.value(json_name_of(one.arguments[std::min(i, one.arguments.size() - 1)]));
    }
    json_.end_array();
    json_.member("variadic", has_no_end ? -1 : static_cast<int>(one.most - one.required));
    json_.member("returnType", json_name_of(one.result)).end_object();
  }

  Writer& json_;
};

}  // namespace

void write_tree(Writer& json, const Expression& root) { TreeWriter(json).tree(root); }

}  // namespace varve::language::promql
