// SPDX-License-Identifier: Apache-2.0
// Binary operators with a scalar on one side, and which of them are for whom.
#include <cmath>
#include <limits>
#include <string>

#include "language/promql/families.h"
#include "language/promql/matching.h"
#include "language/promql/merging.h"
#include "language/promql/operators.h"

namespace varve::language::promql {
namespace {

double scalar_result(BinaryOp op, double a, double b) {
  if (is_comparison(op)) return compares(op, a, b) ? 1 : 0;
  if (op == BinaryOp::default_to) return std::isnan(a) ? b : a;
  if (is_trim(op)) return std::numeric_limits<double>::quiet_NaN();
  return calculated(op, a, b);
}

struct ScalarOperand {
  const Binary& node;
  const Column& scalar;
  bool is_left;

  // Comparisons give the vector's value where they hold, or, with bool, 1 and 0.
  void apply(Column& points) const {
    const bool compare = is_comparison(node.op);
    points.each([&](std::size_t step) {
      const double value = points[step];
      const double a = is_left ? scalar[step] : value, b = is_left ? value : scalar[step];
      if (!compare) {
        points.value(step) = calculated(node.op, a, b);
      } else if (const bool holds = compares(node.op, a, b); node.returns_bool) {
        points.value(step) = holds ? 1 : 0;
      } else if (!holds) {
        points.clear(step);
      }
    });
  }
};

Status vector_and_scalar(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink) {
  const bool scalar_is_left = node.left->type == ValueType::scalar;
  const Expression& vector = scalar_is_left ? *node.right : *node.left;
  VARVE_ASSIGN_OR_RETURN(const Column scalar, evaluation.scalar(scalar_is_left ? *node.left : *node.right, steps));
  const ScalarOperand operand{node, scalar, scalar_is_left};
  const bool keeps_names = is_comparison(node.op) && !node.returns_bool;
  NamelessSink nameless(evaluation, vector, keeps_names, sink);
  VARVE_RETURN_IF_ERROR(evaluation.each(vector, steps, [&](Series&& one) -> Status {
    VARVE_RETURN_IF_ERROR(evaluation.spend(steps.count()));
    operand.apply(one.points);
    return nameless.take(std::move(one));
  }));
  return nameless.finish();
}

// Operators of native histograms leave floats out.
Status nothing_to_trim(Evaluation& evaluation, const Binary& node, const Steps& steps) {
  const std::string op = node.op == BinaryOp::trim_upper ? "</" : ">/";
  for (const Expression* side : {node.left.get(), node.right.get()}) {
    if (side->type != ValueType::vector) continue;
    VARVE_RETURN_IF_ERROR(evaluation.each(*side, steps, [&](Series&&) -> Status {
      evaluation.annotations().inform(
          "incompatible sample types encountered for binary operator \"" + op + "\": float " + op + " float", side->at);
      return {};
    }));
  }
  return {};
}

}  // namespace

Result<Column> scalar_binary(Evaluation& evaluation, const Binary& node, const Steps& steps) {
  VARVE_ASSIGN_OR_RETURN(Column left, evaluation.scalar(*node.left, steps));
  VARVE_ASSIGN_OR_RETURN(const Column right, evaluation.scalar(*node.right, steps));
  for (std::size_t i = 0; i < left.size(); ++i) left.value(i) = scalar_result(node.op, left[i], right[i]);
  return left;
}

Status binary(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink) {
  if (is_trim(node.op)) return nothing_to_trim(evaluation, node, steps);
  switch (node.op) {
    case BinaryOp::set_and:
    case BinaryOp::set_unless: return intersection(evaluation, node, steps, sink);
    case BinaryOp::set_or: return union_of(evaluation, node, steps, sink);
    case BinaryOp::default_to: return defaults(evaluation, node, steps, sink);
    default: break;
  }
  const bool vectors = node.left->type == ValueType::vector && node.right->type == ValueType::vector;
  return vectors ? matched(evaluation, node, steps, sink) : vector_and_scalar(evaluation, node, steps, sink);
}

}  // namespace varve::language::promql
