// SPDX-License-Identifier: Apache-2.0
// Functions of ranges: of each series a column is made, with two edges that move over its samples once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "language/promql/evaluation.h"
#include "language/promql/selectors.h"
#include "language/promql/series.h"

namespace varve::language::promql {

struct RangeInput {
  Evaluation& evaluation;
  const RangeOf& range;
  const RangeSeries& series;
  std::span<const Column> scalars;  // the other arguments of the function

  [[nodiscard]] std::size_t size() const { return series.times.size(); }
  [[nodiscard]] double value(std::size_t at) const { return series.values[at]; }
  [[nodiscard]] std::int64_t time_ms(std::size_t at) const { return series.times[at]; }
};

// Gives the steps of `out` that have a result a value.
using RangeFunction = Status (*)(const RangeInput& in, Column& out);

// Calls at_step(step, begin, end) for each step whose range has samples: those of [begin, end). Neither edge goes back.
template <class AtStep>
Status walk_ranges(const RangeInput& in, AtStep at_step) {
  const std::size_t size = in.size(), steps = in.range.steps().count();
  std::size_t begin = 0, end = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::int64_t to_ms = in.range.to(step), from_ms = to_ms - in.range.width_ms();
    while (end < size && in.series.times[end] <= to_ms) ++end;
    while (begin < end && in.series.times[begin] <= from_ms) ++begin;
    if (begin < end) at_step(step, begin, end);
    if (step % 16 == 0) VARVE_RETURN_IF_ERROR(in.evaluation.spend(16));
  }
  return in.evaluation.spend(size);
}

// range_functions_simple.cc
Status count_over_time(const RangeInput& in, Column& out);
Status present_over_time(const RangeInput& in, Column& out);
Status last_over_time(const RangeInput& in, Column& out);
Status first_over_time(const RangeInput& in, Column& out);
Status ts_of_last_over_time(const RangeInput& in, Column& out);
Status ts_of_first_over_time(const RangeInput& in, Column& out);
Status changes(const RangeInput& in, Column& out);
Status resets(const RangeInput& in, Column& out);

// range_functions_rate.cc
Status rate(const RangeInput& in, Column& out);
Status increase(const RangeInput& in, Column& out);
Status delta(const RangeInput& in, Column& out);
Status irate(const RangeInput& in, Column& out);
Status idelta(const RangeInput& in, Column& out);

// range_functions_extended.cc: of ranges that are anchored or smoothed.
Status extended_rate(const RangeInput& in, Column& out);
Status extended_increase(const RangeInput& in, Column& out);
Status extended_delta(const RangeInput& in, Column& out);
Status anchored_changes(const RangeInput& in, Column& out);
Status anchored_resets(const RangeInput& in, Column& out);
// The samples of such a range at one step, with one at either edge; none: it has no result.
Result<RangeSeries> extended_samples(Evaluation& evaluation, const RangeOf& range, const RangeSeries& series);

// range_functions_sums.cc
Status sum_over_time(const RangeInput& in, Column& out);
Status avg_over_time(const RangeInput& in, Column& out);
Status stddev_over_time(const RangeInput& in, Column& out);
Status stdvar_over_time(const RangeInput& in, Column& out);

// range_functions_extremes.cc
Status min_over_time(const RangeInput& in, Column& out);
Status max_over_time(const RangeInput& in, Column& out);
Status ts_of_min_over_time(const RangeInput& in, Column& out);
Status ts_of_max_over_time(const RangeInput& in, Column& out);

// range_functions_ranks.cc
Status quantile_over_time(const RangeInput& in, Column& out);
Status mad_over_time(const RangeInput& in, Column& out);

// range_functions_regression.cc
Status deriv(const RangeInput& in, Column& out);
Status predict_linear(const RangeInput& in, Column& out);

// range_functions_smoothing.cc
Status double_exponential_smoothing(const RangeInput& in, Column& out);

}  // namespace varve::language::promql
