// SPDX-License-Identifier: Apache-2.0
#include "api/prometheus/tree.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "language/promql/literal.h"
#include "language/promql/names.h"

namespace varve::api {
namespace {

namespace promql = language::promql;
using protocol::json::Writer;

std::string_view type_word(promql::ValueType type) {
  switch (type) {
    case promql::ValueType::vector: return "vector";
    case promql::ValueType::matrix: return "matrix";
    case promql::ValueType::scalar: return "scalar";
    case promql::ValueType::string: return "string";
  }
  return "";
}

std::string_view operator_word(promql::MatchOp op) {
  switch (op) {
    case promql::MatchOp::equal: return "=";
    case promql::MatchOp::not_equal: return "!=";
    case promql::MatchOp::regex: return "=~";
    case promql::MatchOp::not_regex: return "!~";
  }
  return "";
}

std::string_view cardinality_of(const promql::Binary& node) {
  if (promql::is_set_operator(node.op) || node.op == promql::BinaryOp::default_to) return "many-to-many";
  switch (node.matching.group) {
    case promql::Matching::Group::left: return "many-to-one";
    case promql::Matching::Group::right: return "one-to-many";
    case promql::Matching::Group::none: break;
  }
  return "one-to-one";
}

// How many more arguments there may be than are listed; -1: any number.
int variadic_of(const promql::Function& function) {
  if (function.required == function.most) return 0;
  constexpr std::size_t kMany = 100;
  return function.most >= kMany ? -1 : static_cast<int>(function.most - function.required);
}

// The tree's height is bounded by the parser.
class Tree {
 public:
  explicit Tree(Writer& json) : json_(json) {}

  void add(const promql::Expression& one) {
    json_.begin_object();
    std::visit([&](const auto& node) { add(node); }, one.node);
    json_.end_object();
  }

 private:
  void add(const promql::NumberLiteral& node) { literal("numberLiteral", promql::literal_text(node.value)); }
  void add(const promql::StringLiteral& node) { literal("stringLiteral", node.value); }
  void add(const promql::VectorSelector& node) {
    json_.member("type", "vectorSelector");
    selector(node);
  }
  void add(const promql::MatrixSelector& node) {
    json_.member("type", "matrixSelector").member("range", node.range.ms);
    selector(node.selector);
  }
  void add(const promql::Subquery& node) {
    json_.member("type", "subquery").key("expr");
    add(*node.inner);
    json_.member("range", node.range.ms).member("step", node.step ? node.step->ms : 0);
    modifiers(node.offset, node.at);
  }
  void add(const promql::Unary& node) {
    json_.member("type", "unaryExpr").member("op", node.negate ? "-" : "+").key("expr");
    add(*node.inner);
  }
  void add(const promql::Parentheses& node) {
    json_.member("type", "parenExpr").key("expr");
    add(*node.inner);
  }
  void add(const promql::Binary& node) {
    json_.member("type", "binaryExpr").member("op", promql::name_of(node.op)).key("lhs");
    add(*node.left);
    json_.key("rhs");
    add(*node.right);
    json_.key("matching");
    if (node.left->type == promql::ValueType::vector && node.right->type == promql::ValueType::vector) {
      json_.begin_object().member("card", cardinality_of(node)).member("on", node.matching.on);
      texts("labels", node.matching.labels);
      texts("include", node.matching.include);
      json_.end_object();
    } else {
      json_.raw("null");
    }
    json_.member("bool", node.returns_bool);
  }
  void add(const promql::Aggregation& node) {
    json_.member("type", "aggregation").member("op", promql::name_of(node.op)).key("expr");
    add(*node.inner);
    json_.key("param");
    if (node.parameter == nullptr) {
      json_.raw("null");
    } else {
      add(*node.parameter);
    }
    texts("grouping", node.labels);
    json_.member("without", node.without);
  }
  void add(const promql::Call& node) {
    const promql::Function& function = promql::function_of(node.function);
    json_.member("type", "call").key("func").begin_object().member("name", function.name).key("argTypes").begin_array();
    // Those that may be left out or come several times are listed once.
    const std::size_t listed = function.required == function.most ? function.most : function.required + 1;
    for (std::size_t i = 0; i < listed; ++i) {
      json_.value(type_word(function.arguments[std::min(i, function.arguments.size() - 1)]));
    }
    json_.end_array().member("variadic", variadic_of(function)).member("returnType", type_word(function.result));
    json_.end_object().key("args").begin_array();
    for (const promql::ExpressionPtr& argument : node.arguments) add(*argument);
    json_.end_array();
  }

  void literal(std::string_view type, std::string_view value) { json_.member("type", type).member("val", value); }
  void selector(const promql::VectorSelector& node) {
    json_.member("name", node.name).key("matchers").begin_array();
    for (const promql::Matcher& matcher : node.matchers) {
      json_.begin_object().member("name", matcher.name).member("value", matcher.value);
      json_.member("type", operator_word(matcher.op)).end_object();
    }
    json_.end_array();
    modifiers(node.offset, node.at);
    json_.member("anchored", node.extension == promql::RangeExtension::anchored);
    json_.member("smoothed", node.extension == promql::RangeExtension::smoothed);
  }
  void modifiers(const promql::Duration& offset, const std::optional<promql::AtModifier>& at) {
    using Kind = promql::AtModifier::Kind;
    json_.member("offset", offset.ms).key("timestamp");
    json_.raw(at && at->kind == Kind::time ? std::to_string(at->time_ms) : "null").key("startOrEnd");
    json_.raw(!at || at->kind == Kind::time ? "null" : at->kind == Kind::start ? "\"start\"" : "\"end\"");
  }
  void texts(std::string_view name, const std::vector<std::string>& all) {
    json_.key(name).begin_array();
    for (const std::string& text : all) json_.value(text);
    json_.end_array();
  }

  Writer& json_;
};

}  // namespace

void write_prometheus_tree(Writer& json, const promql::Expression& root) { Tree(json).add(root); }

}  // namespace varve::api
