// SPDX-License-Identifier: Apache-2.0
#include "language/promql/range_functions.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/check.h"
#include "language/promql/families.h"
#include "language/promql/merging.h"

namespace varve::language::promql {
namespace {

RangeFunction range_function_of(FunctionId function, RangeExtension extension) {
  const bool extended = extension != RangeExtension::none;
  switch (function) {
    case FunctionId::count_over_time: return count_over_time;
    case FunctionId::present_over_time: return present_over_time;
    case FunctionId::last_over_time: return last_over_time;
    case FunctionId::first_over_time: return first_over_time;
    case FunctionId::ts_of_last_over_time: return ts_of_last_over_time;
    case FunctionId::ts_of_first_over_time: return ts_of_first_over_time;
    case FunctionId::changes: return extended ? anchored_changes : changes;
    case FunctionId::resets: return extended ? anchored_resets : resets;
    case FunctionId::rate: return extended ? extended_rate : rate;
    case FunctionId::increase: return extended ? extended_increase : increase;
    case FunctionId::delta: return extended ? extended_delta : delta;
    case FunctionId::irate: return irate;
    case FunctionId::idelta: return idelta;
    case FunctionId::sum_over_time: return sum_over_time;
    case FunctionId::avg_over_time: return avg_over_time;
    case FunctionId::stddev_over_time: return stddev_over_time;
    case FunctionId::stdvar_over_time: return stdvar_over_time;
    case FunctionId::min_over_time: return min_over_time;
    case FunctionId::max_over_time: return max_over_time;
    case FunctionId::ts_of_min_over_time: return ts_of_min_over_time;
    case FunctionId::ts_of_max_over_time: return ts_of_max_over_time;
    case FunctionId::quantile_over_time: return quantile_over_time;
    case FunctionId::mad_over_time: return mad_over_time;
    case FunctionId::deriv: return deriv;
    case FunctionId::predict_linear: return predict_linear;
    case FunctionId::double_exponential_smoothing: return double_exponential_smoothing;
    default: return nullptr;
  }
}

void inform_of_name(const CallOf& of, std::string_view name, Span at) {
  if (of.call.function != FunctionId::rate && of.call.function != FunctionId::increase) return;
  if (name.empty() || name.ends_with("_total") || name.ends_with("_sum") || name.ends_with("_count") ||
      name.ends_with("_bucket")) {
    return;
  }
  of.evaluation.annotations().inform(
      "metric might not be a counter, name does not end in _total/_sum/_count/_bucket: \"" + std::string(name) + "\"",
      at);
}

void warn_of_quantiles(const CallOf& of, const Column& quantiles, Span at) {
  quantiles.each([&](std::size_t step) {
    const double q = quantiles[step];
    if (q >= 0 && q <= 1) return;
    of.evaluation.annotations().warn("quantile value should be between 0 and 1, got " + text_of_number(q), at);
  });
}

}  // namespace

Status call_range_function(const CallOf& of) {
  const Expression* ranges = nullptr;
  std::vector<Column> scalars;
  for (const ExpressionPtr& argument : of.call.arguments) {
    if (argument->type == ValueType::matrix) {
      ranges = argument.get();
    } else {
      VARVE_ASSIGN_OR_RETURN(Column scalar, of.evaluation.scalar(*argument, of.steps));
      scalars.push_back(std::move(scalar));
    }
  }
  check(ranges != nullptr, "a function of ranges");
  const RangeOf range(of.evaluation, *ranges, of.steps);
  const RangeFunction function = range_function_of(of.call.function, range.extension());
  check(function != nullptr, "each function belongs to a family");
  const bool keeps_name = of.call.keep_metric_names || !drops_names(of.call.function);
  Distinct distinct(of.evaluation, range.expression());
  bool warned = of.call.function != FunctionId::quantile_over_time;
  return range.each([&](RangeSeries&& one) -> Status {
    VARVE_ASSIGN_OR_RETURN(Series out, of.evaluation.series(std::move(one.labels), of.steps));
    VARVE_RETURN_IF_ERROR(function({of.evaluation, range, one, scalars}, out.points));
    if (out.points.empty()) return {};
    if (!std::exchange(warned, true)) warn_of_quantiles(of, scalars[0], of.call.arguments[0]->at);
    inform_of_name(of, label_of(out.labels, kNameLabel), ranges->at);
    if (!keeps_name) {
      drop_name(out.labels);
      VARVE_RETURN_IF_ERROR(distinct.add(out.labels));
    }
    return of.sink(std::move(out));
  });
}

}  // namespace varve::language::promql
