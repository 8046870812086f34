// SPDX-License-Identifier: Apache-2.0
#include "language/promql/invariance.h"

#include <algorithm>
#include <variant>

#include "language/promql/operators.h"

namespace varve::language::promql {
namespace {

// Do their results depend on the time of the step, whatever their arguments are?
bool reads_clock(const Call& call) {
  switch (call.function) {
    case FunctionId::time:
    case FunctionId::timestamp:
    case FunctionId::timezone_offset:
    case FunctionId::predict_linear:
    case FunctionId::info: return true;
    case FunctionId::pi: return false;
    default: return call.arguments.empty();  // those of the calendar
  }
}

bool selects_one_name(const VectorSelector& selector) {
  return std::ranges::any_of(selector.matchers, [](const Matcher& matcher) {
    return matcher.name == kNameLabel && matcher.op == MatchOp::equal;
  });
}

bool binary_has_one_name(const Binary& binary) {
  switch (binary.op) {
    case BinaryOp::set_and:
    case BinaryOp::set_unless: return has_one_name(*binary.left);
    case BinaryOp::set_or:
    case BinaryOp::default_to: return false;
    default: break;
  }
  if (!is_comparison(binary.op) || binary.returns_bool) return true;  // it has none
  return (binary.left->type == ValueType::scalar || has_one_name(*binary.left)) &&
         (binary.right->type == ValueType::scalar || has_one_name(*binary.right));
}

bool aggregation_has_one_name(const Aggregation& aggregation) {
  switch (aggregation.op) {
    case AggregationOp::topk:
    case AggregationOp::bottomk:
    case AggregationOp::limitk:
    case AggregationOp::limit_ratio: return has_one_name(*aggregation.inner);
    case AggregationOp::count_values: return false;  // it may give them any name
    default:
      return aggregation.without || std::ranges::find(aggregation.labels, kNameLabel) == aggregation.labels.end();
  }
}

bool call_has_one_name(const Call& call) {
  switch (call.function) {
    case FunctionId::label_replace:
    case FunctionId::label_join:
    case FunctionId::label_set:
    case FunctionId::label_del:
    case FunctionId::label_keep: return false;
    default: break;
  }
  if (drops_names(call.function) && !call.keep_metric_names) return true;
  return std::ranges::all_of(call.arguments, [](const ExpressionPtr& argument) {
    return argument->type == ValueType::scalar || argument->type == ValueType::string || has_one_name(*argument);
  });
}

}  // namespace

bool Invariance::visit(const Expression& expression) {
  const bool invariant = std::visit(
      [&]<class Node>(const Node& node) {
        if constexpr (std::is_same_v<Node, VectorSelector>) {
          return node.at.has_value();
        } else if constexpr (std::is_same_v<Node, MatrixSelector>) {
          return node.selector.at.has_value();
        } else if constexpr (std::is_same_v<Node, Subquery>) {
          visit(*node.inner);
          return node.at.has_value();
        } else if constexpr (std::is_same_v<Node, Unary> || std::is_same_v<Node, Parentheses>) {
          return visit(*node.inner);
        } else if constexpr (std::is_same_v<Node, Binary>) {
          const bool left = visit(*node.left);
          return visit(*node.right) && left;
        } else if constexpr (std::is_same_v<Node, Aggregation>) {
          const bool parameter = node.parameter == nullptr || visit(*node.parameter);
          return visit(*node.inner) && parameter;
        } else if constexpr (std::is_same_v<Node, Call>) {
          return visit_call(node);
        } else {
          return true;
        }
      },
      expression.node);
  if (invariant) found_.insert(&expression);
  return invariant;
}

bool Invariance::visit_call(const Call& call) {
  bool all = !reads_clock(call);
  for (const ExpressionPtr& argument : call.arguments) all = visit(*argument) && all;
  return all;
}

bool has_one_name(const Expression& expression) {
  return std::visit(
      []<class Node>(const Node& node) {
        if constexpr (std::is_same_v<Node, VectorSelector>) {
          return selects_one_name(node);
        } else if constexpr (std::is_same_v<Node, MatrixSelector>) {
          return selects_one_name(node.selector);
        } else if constexpr (std::is_same_v<Node, Subquery> || std::is_same_v<Node, Parentheses>) {
          return has_one_name(*node.inner);
        } else if constexpr (std::is_same_v<Node, Unary>) {
          return node.negate || has_one_name(*node.inner);
        } else if constexpr (std::is_same_v<Node, Binary>) {
          return binary_has_one_name(node);
        } else if constexpr (std::is_same_v<Node, Aggregation>) {
          return aggregation_has_one_name(node);
        } else if constexpr (std::is_same_v<Node, Call>) {
          return call_has_one_name(node);
        } else {
          return true;
        }
      },
      expression.node);
}

bool drops_names(FunctionId function) {
  switch (function) {
    case FunctionId::last_over_time:
    case FunctionId::first_over_time:
    case FunctionId::label_replace:
    case FunctionId::label_join:
    case FunctionId::label_set:
    case FunctionId::label_del:
    case FunctionId::label_keep:
    case FunctionId::sort:
    case FunctionId::sort_desc:
    case FunctionId::sort_by_label:
    case FunctionId::sort_by_label_desc:
    case FunctionId::info: return false;
    default: return true;
  }
}

}  // namespace varve::language::promql
