// SPDX-License-Identifier: Apache-2.0
// The functions of PromQL: their names, and what they take and give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "language/promql/value_type.h"

namespace varve::language::promql {

// In the order of their names.
enum class FunctionId : std::uint8_t {
  abs,
  absent,
  absent_over_time,
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atanh,
  avg_over_time,
  ceil,
  changes,
  clamp,
  clamp_max,
  clamp_min,
  cos,
  cosh,
  count_over_time,
  day_of_month,
  day_of_week,
  day_of_year,
  days_in_month,
  deg,
  delta,
  deriv,
  double_exponential_smoothing,
  exp,
  first_over_time,
  floor,
  histogram_avg,
  histogram_count,
  histogram_fraction,
  histogram_quantile,
  histogram_quantiles,
  histogram_stddev,
  histogram_stdvar,
  histogram_sum,
  hour,
  idelta,
  increase,
  info,
  irate,
  label_del,
  label_join,
  label_keep,
  label_replace,
  label_set,
  last_over_time,
  ln,
  log10,
  log2,
  mad_over_time,
  max_over_time,
  min_over_time,
  minute,
  month,
  pi,
  predict_linear,
  present_over_time,
  quantile_over_time,
  rad,
  rate,
  resets,
  round,
  scalar,
  sgn,
  sin,
  sinh,
  sort,
  sort_by_label,
  sort_by_label_desc,
  sort_desc,
  sqrt,
  stddev_over_time,
  stdvar_over_time,
  sum_over_time,
  tan,
  tanh,
  time,
  timestamp,
  timezone_offset,
  ts_of_first_over_time,
  ts_of_last_over_time,
  ts_of_max_over_time,
  ts_of_min_over_time,
  vector,
  year
};

inline constexpr std::size_t kFunctionCount = static_cast<std::size_t>(FunctionId::year) + 1;

struct Function {
  FunctionId id{};
  std::string_view name;
  ValueType result{};
  std::span<const ValueType> arguments;
  std::size_t required =
      0;  // how many arguments there are at least, and at most; those beyond the list are like its last
  std::size_t most = 0;
  bool metricsql = false;  // not of Prometheus
};

// nullptr: there is none of this name.
const Function* find_function(std::string_view name);

const Function& function_of(FunctionId id);

}  // namespace varve::language::promql
