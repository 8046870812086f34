// SPDX-License-Identifier: Apache-2.0
#include "language/promql/function_table.h"

#include <algorithm>
#include <array>
#include <limits>

namespace varve::language::promql {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

constexpr std::array kOfScalar{ValueType::scalar};
constexpr std::array kOfString{ValueType::string};
constexpr std::array kOfVector{ValueType::vector};
constexpr std::array kOfMatrix{ValueType::matrix};
constexpr std::array kOfVectorScalar{ValueType::vector, ValueType::scalar};
constexpr std::array kOfVectorScalars{ValueType::vector, ValueType::scalar, ValueType::scalar};
constexpr std::array kOfVectorString{ValueType::vector, ValueType::string};
constexpr std::array kOfVectorVector{ValueType::vector, ValueType::vector};
constexpr std::array kOfVectorStringScalar{ValueType::vector, ValueType::string, ValueType::scalar};
constexpr std::array kOfVectorStrings{ValueType::vector, ValueType::string, ValueType::string, ValueType::string,
                                      ValueType::string};
constexpr std::array kOfScalarVector{ValueType::scalar, ValueType::vector};
constexpr std::array kOfScalarsVector{ValueType::scalar, ValueType::scalar, ValueType::vector};
constexpr std::array kOfScalarMatrix{ValueType::scalar, ValueType::matrix};
constexpr std::array kOfMatrixScalar{ValueType::matrix, ValueType::scalar};
constexpr std::array kOfMatrixScalars{ValueType::matrix, ValueType::scalar, ValueType::scalar};

constexpr Function exact(FunctionId id, std::string_view name, std::span<const ValueType> arguments,
                         ValueType result = ValueType::vector) {
  return {id, name, result, arguments, arguments.size(), arguments.size(), false};
}
constexpr Function between(FunctionId id, std::string_view name, std::span<const ValueType> arguments,
                           std::size_t required, std::size_t most) {
  return {id, name, ValueType::vector, arguments, required, most, false};
}
constexpr Function metricsql(Function function) {
  function.metricsql = true;
  return function;
}

using Id = FunctionId;

// clang-format off
constexpr std::array<Function, kFunctionCount> kFunctions{
    exact(Id::abs, "abs", kOfVector),
    exact(Id::absent, "absent", kOfVector),
    exact(Id::absent_over_time, "absent_over_time", kOfMatrix),
    exact(Id::acos, "acos", kOfVector),
    exact(Id::acosh, "acosh", kOfVector),
    exact(Id::asin, "asin", kOfVector),
    exact(Id::asinh, "asinh", kOfVector),
    exact(Id::atan, "atan", kOfVector),
    exact(Id::atanh, "atanh", kOfVector),
    exact(Id::avg_over_time, "avg_over_time", kOfMatrix),
    exact(Id::ceil, "ceil", kOfVector),
    exact(Id::changes, "changes", kOfMatrix),
    exact(Id::clamp, "clamp", kOfVectorScalars),
    exact(Id::clamp_max, "clamp_max", kOfVectorScalar),
    exact(Id::clamp_min, "clamp_min", kOfVectorScalar),
    exact(Id::cos, "cos", kOfVector),
    exact(Id::cosh, "cosh", kOfVector),
    exact(Id::count_over_time, "count_over_time", kOfMatrix),
    between(Id::day_of_month, "day_of_month", kOfVector, 0, 1),
    between(Id::day_of_week, "day_of_week", kOfVector, 0, 1),
    between(Id::day_of_year, "day_of_year", kOfVector, 0, 1),
    between(Id::days_in_month, "days_in_month", kOfVector, 0, 1),
    exact(Id::deg, "deg", kOfVector),
    exact(Id::delta, "delta", kOfMatrix),
    exact(Id::deriv, "deriv", kOfMatrix),
    exact(Id::double_exponential_smoothing, "double_exponential_smoothing", kOfMatrixScalars),
    exact(Id::exp, "exp", kOfVector),
    exact(Id::first_over_time, "first_over_time", kOfMatrix),
    exact(Id::floor, "floor", kOfVector),
    exact(Id::histogram_avg, "histogram_avg", kOfVector),
    exact(Id::histogram_count, "histogram_count", kOfVector),
    exact(Id::histogram_fraction, "histogram_fraction", kOfScalarsVector),
    exact(Id::histogram_quantile, "histogram_quantile", kOfScalarVector),
    between(Id::histogram_quantiles, "histogram_quantiles", kOfVectorStringScalar, 3, 12),
    exact(Id::histogram_stddev, "histogram_stddev", kOfVector),
    exact(Id::histogram_stdvar, "histogram_stdvar", kOfVector),
    exact(Id::histogram_sum, "histogram_sum", kOfVector),
    between(Id::hour, "hour", kOfVector, 0, 1),
    exact(Id::idelta, "idelta", kOfMatrix),
    exact(Id::increase, "increase", kOfMatrix),
    between(Id::info, "info", kOfVectorVector, 1, 2),
    exact(Id::irate, "irate", kOfMatrix),
    metricsql(between(Id::label_del, "label_del", kOfVectorString, 2, kAny)),
    between(Id::label_join, "label_join", kOfVectorStrings, 3, kAny),
    metricsql(between(Id::label_keep, "label_keep", kOfVectorString, 2, kAny)),
    exact(Id::label_replace, "label_replace", kOfVectorStrings),
    metricsql(between(Id::label_set, "label_set", kOfVectorString, 3, kAny)),
    exact(Id::last_over_time, "last_over_time", kOfMatrix),
    exact(Id::ln, "ln", kOfVector),
    exact(Id::log10, "log10", kOfVector),
    exact(Id::log2, "log2", kOfVector),
    exact(Id::mad_over_time, "mad_over_time", kOfMatrix),
    exact(Id::max_over_time, "max_over_time", kOfMatrix),
    exact(Id::min_over_time, "min_over_time", kOfMatrix),
    between(Id::minute, "minute", kOfVector, 0, 1),
    between(Id::month, "month", kOfVector, 0, 1),
    exact(Id::pi, "pi", {}, ValueType::scalar),
    exact(Id::predict_linear, "predict_linear", kOfMatrixScalar),
    exact(Id::present_over_time, "present_over_time", kOfMatrix),
    exact(Id::quantile_over_time, "quantile_over_time", kOfScalarMatrix),
    exact(Id::rad, "rad", kOfVector),
    exact(Id::rate, "rate", kOfMatrix),
    exact(Id::resets, "resets", kOfMatrix),
    between(Id::round, "round", kOfVectorScalar, 1, 2),
    exact(Id::scalar, "scalar", kOfVector, ValueType::scalar),
    exact(Id::sgn, "sgn", kOfVector),
    exact(Id::sin, "sin", kOfVector),
    exact(Id::sinh, "sinh", kOfVector),
    exact(Id::sort, "sort", kOfVector),
    between(Id::sort_by_label, "sort_by_label", kOfVectorString, 1, kAny),
    between(Id::sort_by_label_desc, "sort_by_label_desc", kOfVectorString, 1, kAny),
    exact(Id::sort_desc, "sort_desc", kOfVector),
    exact(Id::sqrt, "sqrt", kOfVector),
    exact(Id::stddev_over_time, "stddev_over_time", kOfMatrix),
    exact(Id::stdvar_over_time, "stdvar_over_time", kOfMatrix),
    exact(Id::sum_over_time, "sum_over_time", kOfMatrix),
    exact(Id::tan, "tan", kOfVector),
    exact(Id::tanh, "tanh", kOfVector),
    exact(Id::time, "time", {}, ValueType::scalar),
    exact(Id::timestamp, "timestamp", kOfVector),
    metricsql(exact(Id::timezone_offset, "timezone_offset", kOfString, ValueType::scalar)),
    exact(Id::ts_of_first_over_time, "ts_of_first_over_time", kOfMatrix),
    exact(Id::ts_of_last_over_time, "ts_of_last_over_time", kOfMatrix),
    exact(Id::ts_of_max_over_time, "ts_of_max_over_time", kOfMatrix),
    exact(Id::ts_of_min_over_time, "ts_of_min_over_time", kOfMatrix),
    exact(Id::vector, "vector", kOfScalar),
    between(Id::year, "year", kOfVector, 0, 1)
};
// clang-format on

static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));
static_assert(std::ranges::all_of(kFunctions, [](const Function& one) {
  return &one == &kFunctions[static_cast<std::size_t>(one.id)];
}));

}  // namespace

const Function* find_function(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  return found != kFunctions.end() && found->name == name ? found : nullptr;
}

const Function& function_of(FunctionId id) { return kFunctions[static_cast<std::size_t>(id)]; }

}  // namespace varve::language::promql
