// SPDX-License-Identifier: Apache-2.0
#include "language/promql/print_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <variant>

#include "language/promql/annotations.h"
#include "language/promql/names.h"

namespace varve::language::promql {
namespace {

using protocol::json::Writer;

std::string_view json_name_of(ValueType type) {
  constexpr std::array<std::string_view, 4> kNames{"scalar", "vector", "matrix", "string"};
  return kNames[static_cast<std::size_t>(type)];
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

  void add(const NumberLiteral& one) {
    json_.member("type", "numberLiteral").member("val", plain_text_of_number(one.value));
  }
  void add(const StringLiteral& one) { json_.member("type", "stringLiteral").member("val", one.value); }
  void add(const VectorSelector& one) {
    json_.member("type", "vectorSelector");
    selector(one);
  }
  void add(const MatrixSelector& one) {
    json_.member("type", "matrixSelector");
    duration("range", one.range);
    selector(one.selector);
  }
  void add(const Subquery& one) {
    json_.member("type", "subquery");
    subtree("expr", one.inner);
    duration("range", one.range);
    const Duration none;
    duration("step", one.step ? *one.step : none);
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
    json_.member("name", one.name);
    times(one.offset, one.at);
    json_.key("matchers").begin_array();
    for (const Matcher& matcher : one.matchers) {
      json_.begin_object().member("name", matcher.name).member("value", matcher.value);
      json_.member("type", name_of(matcher.op)).end_object();
    }
    json_.end_array();
    json_.member("anchored", one.extension == RangeExtension::anchored);
    json_.member("smoothed", one.extension == RangeExtension::smoothed);
  }

  void times(const Duration& offset, const std::optional<AtModifier>& at) {
    duration("offset", offset);
    json_.key("timestamp");
    at && at->kind == AtModifier::Kind::time ? json_.value(at->time_ms) : json_.null();
    json_.key("startOrEnd");
    at && at->kind != AtModifier::Kind::time ? json_.value(at->kind == AtModifier::Kind::start ? "start" : "end")
                                             : json_.null();
  }

  // Of arithmetic the number is not known before the steps of the query are, and is 0.
  void duration(std::string_view name, const Duration& one) {
    json_.member(name, one.expression ? 0 : one.ms).key(std::string(name) + "Expr");
    if (one.expression) {
      part(*one.expression);
    } else {
      json_.null();
    }
  }
  // Of a duration. A number in parentheses is one without a sign in front of it.
  void part(const DurationExpression& one) {
    using Kind = DurationExpression::Kind;
    constexpr std::array<std::string_view, 12> kOps{"",  "step", "range", "-", "+",   "-",
                                                    "*", "/",    "%",     "^", "min", "max"};
    const bool is_number = one.kind == Kind::number;
    if (is_number && !one.parentheses) return number(one);
    json_.begin_object().member("type", "durationExpr");
    json_.member("op", is_number ? "+" : kOps[static_cast<std::size_t>(one.kind)]).key("lhs");
    one.parts.size() == 2 ? part(one.parts[0]) : static_cast<void>(json_.null());
    json_.key("rhs");
    if (is_number) {
      number(one);
    } else {
      one.parts.empty() ? static_cast<void>(json_.null()) : part(one.parts.back());
    }
    json_.member("wrapped", one.parentheses).end_object();
  }
  void number(const DurationExpression& one) {
    json_.begin_object().member("type", "numberLiteral").member("val", plain_text_of_number(one.seconds));
    json_.member("duration", one.unit).end_object();
  }

  void matching(const Binary& one) {
    const Matching& how = one.matching;
    const std::string_view card = is_set_operator(one.op)               ? "many-to-many"
                                  : how.group == Matching::Group::left  ? "many-to-one"
                                  : how.group == Matching::Group::right ? "one-to-many"
                                                                        : "one-to-one";
    json_.begin_object().member("card", card).key("labels").array(how.labels);
    json_.member("on", how.on).key("include").array(how.include);
    json_.key("fillValues").raw(R"({"lhs":null,"rhs":null})").end_object();  // `fill` is not there
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
