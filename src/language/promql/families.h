// SPDX-License-Identifier: Apache-2.0
// The families of functions and operators, each in a file of its own. Each gives the series of its result to a sink.
#pragma once

#include "base/result.h"
#include "language/promql/evaluation.h"
#include "language/promql/expression.h"
#include "language/promql/series.h"

namespace varve::language::promql {

struct CallOf {
  Evaluation& evaluation;
  const Expression& expression;
  const Call& call;
  const Steps& steps;
  const SeriesSink& sink;

  [[nodiscard]] const Expression& argument(std::size_t at) const { return unwrapped(*call.arguments[at]); }
};

// Functions of each sample by itself: abs, round, clamp, sin, … (math.cc), year, hour, … (calendar.cc).
bool is_math(FunctionId function);
Status call_math(const CallOf& of);
bool is_calendar(FunctionId function);
Status call_calendar(const CallOf& of);
// Seconds that the clock of a zone is ahead of UTC at each step. Error: invalid (there is no such zone).
Result<Column> timezone_offset(Evaluation& evaluation, std::string_view zone, const Steps& steps);

Status call_timestamp(const CallOf& of);
Status call_absent(const CallOf& of);  // absent and absent_over_time
Status call_label_function(const CallOf& of);
Status call_sort(const CallOf& of);
Status call_histogram(const CallOf& of);
Status call_info(const CallOf& of);
Status call_range_function(const CallOf& of);

// Between two vectors, or a vector and a scalar.
Status binary(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink);
Result<Column> scalar_binary(Evaluation& evaluation, const Binary& node, const Steps& steps);

Status aggregate(Evaluation& evaluation, const Aggregation& node, const Steps& steps, const SeriesSink& sink);
// topk, bottomk, limitk, limit_ratio
Status choose(Evaluation& evaluation, const Aggregation& node, const Steps& steps, const SeriesSink& sink);

}  // namespace varve::language::promql
