// SPDX-License-Identifier: Apache-2.0
#include "language/promql/evaluate.h"

#include <algorithm>
#include <numbers>
#include <utility>
#include <variant>

#include "base/check.h"
#include "language/promql/evaluation.h"
#include "language/promql/families.h"
#include "language/promql/merging.h"
#include "language/promql/range_functions.h"
#include "language/promql/selectors.h"

namespace varve::language::promql {
namespace {

constexpr std::size_t kWorkBetweenQuestions = std::size_t{1} << 16;

// Does the root say in which order its series come?
bool orders_values(const Expression& root) {
  if (const auto* const aggregation = std::get_if<Aggregation>(&root.node)) {
    return aggregation->op == AggregationOp::topk || aggregation->op == AggregationOp::bottomk;
  }
  const auto* const call = std::get_if<Call>(&root.node);
  if (call == nullptr) return false;
  switch (call->function) {
    case FunctionId::sort:
    case FunctionId::sort_desc:
    case FunctionId::sort_by_label:
    case FunctionId::sort_by_label_desc: return true;
    default: return false;
  }
}

}  // namespace

const Expression& unwrapped(const Expression& expression) {
  const Expression* at = &expression;
  while (const auto* const parentheses = std::get_if<Parentheses>(&at->node)) at = parentheses->inner.get();
  return *at;
}

std::string_view Evaluation::string(const Expression& expression) {
  const auto* const literal = std::get_if<StringLiteral>(&unwrapped(expression).node);
  check(literal != nullptr, "strings are literals");
  return literal->value;
}

Status Evaluation::spend(std::size_t work) {
  work_ += work + 1;
  if (work_ < kWorkBetweenQuestions) return {};
  work_ = 0;
  return options_.go_on ? options_.go_on() : Status{};
}

Result<Series> Evaluation::series(Labels labels, const Steps& steps) {
  Series out;
  VARVE_ASSIGN_OR_RETURN(out.points, Column::make(budget_, steps.count(), bytes_of(labels)));
  out.labels = std::move(labels);
  return out;
}

Result<Series> Evaluation::series(const Series& other) {
  Series out;
  VARVE_ASSIGN_OR_RETURN(out.points, Column::make(budget_, other.points.size(), bytes_of(other.labels)));
  other.points.each([&](std::size_t step) { out.points.set(step, other.points[step]); });
  out.labels = other.labels;
  return out;
}

bool Evaluation::is_same_at(const Expression& expression, const Steps& steps) const {
  return steps.count() > 1 && invariant_.contains(expression);
}

Status Evaluation::each(const Expression& expression, const Steps& steps, const SeriesSink& sink) {
  if (!is_same_at(expression, steps)) return each_once(expression, steps, sink);
  return each_once(expression, {steps.start_ms, steps.start_ms, 1}, [&](Series&& one) -> Status {
    VARVE_ASSIGN_OR_RETURN(Series out, series(std::move(one.labels), steps));
    out.points.fill(one.points[0]);
    return sink(std::move(out));
  });
}

Status Evaluation::each_once(const Expression& expression, const Steps& steps, const SeriesSink& sink) {
  VARVE_RETURN_IF_ERROR(spend(steps.count()));
  return std::visit(
      [&]<class Node>(const Node& node) -> Status {
        if constexpr (std::is_same_v<Node, VectorSelector>) {
          return select_instant(*this, node, steps, SelectedPart::value, sink);
        } else if constexpr (std::is_same_v<Node, Parentheses>) {
          return each(*node.inner, steps, sink);
        } else if constexpr (std::is_same_v<Node, Unary>) {
          if (!node.negate) return each(*node.inner, steps, sink);
          Distinct distinct(*this, *node.inner);
          return each(*node.inner, steps, [&](Series&& one) -> Status {
            drop_name(one.labels);
            VARVE_RETURN_IF_ERROR(distinct.add(one.labels));
            one.points.each([&](std::size_t step) { one.points.value(step) = -one.points[step]; });
            return sink(std::move(one));
          });
        } else if constexpr (std::is_same_v<Node, Binary>) {
          return binary(*this, node, steps, sink);
        } else if constexpr (std::is_same_v<Node, Aggregation>) {
          return aggregate(*this, node, steps, sink);
        } else if constexpr (std::is_same_v<Node, Call>) {
          return call(expression, node, steps, sink);
        } else {
          check(false, "a vector");
          return {};
        }
      },
      expression.node);
}

Status Evaluation::call(const Expression& expression, const Call& call, const Steps& steps, const SeriesSink& sink) {
  const CallOf of{*this, expression, call, steps, sink};
  if (is_math(call.function)) return call_math(of);
  if (is_calendar(call.function)) return call_calendar(of);
  switch (call.function) {
    case FunctionId::vector: {
      Series one;
      VARVE_ASSIGN_OR_RETURN(one.points, scalar(*call.arguments[0], steps));
      return sink(std::move(one));
    }
    case FunctionId::timestamp: return call_timestamp(of);
    case FunctionId::absent:
    case FunctionId::absent_over_time: return call_absent(of);
    case FunctionId::label_replace:
    case FunctionId::label_join:
    case FunctionId::label_set:
    case FunctionId::label_del:
    case FunctionId::label_keep: return call_label_function(of);
    case FunctionId::sort:
    case FunctionId::sort_desc:
    case FunctionId::sort_by_label:
    case FunctionId::sort_by_label_desc: return call_sort(of);
    case FunctionId::histogram_quantile:
    case FunctionId::histogram_quantiles:
    case FunctionId::histogram_fraction: return call_histogram(of);
    // Of native histograms: there are none, and floats are left out.
    case FunctionId::histogram_avg:
    case FunctionId::histogram_count:
    case FunctionId::histogram_sum:
    case FunctionId::histogram_stddev:
    case FunctionId::histogram_stdvar: return each(*call.arguments[0], steps, [](Series&&) -> Status { return {}; });
    case FunctionId::info: return call_info(of);
    default: return call_range_function(of);
  }
}

Result<std::vector<Series>> Evaluation::all(const Expression& expression, const Steps& steps) {
  std::vector<Series> out;
  VARVE_RETURN_IF_ERROR(each(expression, steps, [&](Series&& one) -> Status {
    out.push_back(std::move(one));
    return {};
  }));
  return out;
}

Result<Column> Evaluation::scalar(const Expression& expression, const Steps& steps) {
  if (!is_same_at(expression, steps)) return scalar_once(expression, steps);
  VARVE_ASSIGN_OR_RETURN(const Column one, scalar_once(expression, {steps.start_ms, steps.start_ms, 1}));
  VARVE_ASSIGN_OR_RETURN(Column out, column(steps));
  out.fill(one[0]);
  return out;
}

Result<Column> Evaluation::scalar_once(const Expression& expression, const Steps& steps) {
  VARVE_RETURN_IF_ERROR(spend(steps.count()));
  if (const auto* const parentheses = std::get_if<Parentheses>(&expression.node)) {
    return scalar(*parentheses->inner, steps);
  }
  if (const auto* const unary = std::get_if<Unary>(&expression.node)) {
    VARVE_ASSIGN_OR_RETURN(Column out, scalar(*unary->inner, steps));
    if (unary->negate) out.each([&](std::size_t step) { out.value(step) = -out[step]; });
    return out;
  }
  if (const auto* const node = std::get_if<Binary>(&expression.node)) return scalar_binary(*this, *node, steps);
  VARVE_ASSIGN_OR_RETURN(Column out, column(steps));
  if (const auto* const number = std::get_if<NumberLiteral>(&expression.node)) {
    out.fill(number->value);
    return out;
  }
  const auto* const call = std::get_if<Call>(&expression.node);
  check(call != nullptr, "a scalar");
  switch (call->function) {
    case FunctionId::pi: out.fill(std::numbers::pi); return out;
    case FunctionId::timezone_offset: return timezone_offset(*this, string(*call->arguments[0]), steps);
    case FunctionId::time:
      for (std::size_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(steps.at(i)) / 1000);
      return out;
    case FunctionId::scalar: return scalar_of_vector(*this, *call->arguments[0], steps);
    default: check(false, "a function that gives a scalar");
  }
  return out;
}

Result<Answer> evaluate(const Query& query, Source& source, const EvaluationOptions& options) {
  check(query.steps.count() > 0, "a query has a step");
  Answer out;
  out.type = query.root.type;
  out.budget = std::make_unique<Budget>(options.memory_max, options.hold);
  Evaluation evaluation(query, source, options, *out.budget);
  switch (out.type) {
    case ValueType::string: out.text = Evaluation::string(query.root); break;
    case ValueType::scalar: {
      VARVE_ASSIGN_OR_RETURN(out.scalar, evaluation.scalar(query.root, query.steps));
      break;
    }
    case ValueType::vector: {
      VARVE_ASSIGN_OR_RETURN(out.series, evaluation.all(query.root, query.steps));
      if (query.instant && orders_values(unwrapped(query.root))) break;
      std::ranges::sort(out.series, {}, &Series::labels);
      break;
    }
    case ValueType::matrix: {
      if (!query.instant) return fail(Code::invalid, "a range of samples is no answer at several times");
      const RangeOf range(evaluation, query.root, query.steps);
      Charge held;
      VARVE_RETURN_IF_ERROR(range.each([&](RangeSeries&& one) -> Status {
        if (range.extension() != RangeExtension::none) {
          VARVE_ASSIGN_OR_RETURN(one, extended_samples(evaluation, range, one));
          if (one.times.empty()) return {};
        }
        VARVE_ASSIGN_OR_RETURN(Charge more, out.budget->charge(bytes_of(one.labels) + one.times.size() * 16));
        held.absorb(std::move(more));
        out.ranges.push_back(std::move(one));
        return {};
      }));
      std::ranges::sort(out.ranges, {}, &RangeSeries::labels);
      break;
    }
  }
  out.warnings = evaluation.annotations().take_warnings();
  out.infos = evaluation.annotations().take_infos();
  return out;
}

}  // namespace varve::language::promql
