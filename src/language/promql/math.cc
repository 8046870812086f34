// SPDX-License-Identifier: Apache-2.0
// Functions of each sample by itself.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "language/promql/families.h"
#include "language/promql/merging.h"

namespace varve::language::promql {
namespace {

using OneNumber = double (*)(double);

// NaN where one of them is.
double smaller_number(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
double larger_number(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

double sign_of(double x) { return x < 0 ? -1 : x > 0 ? 1 : x; }

OneNumber function_of_number(FunctionId function) {
  switch (function) {
    case FunctionId::abs: return [](double x) { return std::fabs(x); };
    case FunctionId::ceil: return [](double x) { return std::ceil(x); };
    case FunctionId::floor: return [](double x) { return std::floor(x); };
    case FunctionId::exp: return [](double x) { return std::exp(x); };
    case FunctionId::sqrt: return [](double x) { return std::sqrt(x); };
    case FunctionId::ln: return [](double x) { return std::log(x); };
    case FunctionId::log2: return [](double x) { return std::log2(x); };
    case FunctionId::log10: return [](double x) { return std::log10(x); };
    case FunctionId::sin: return [](double x) { return std::sin(x); };
    case FunctionId::cos: return [](double x) { return std::cos(x); };
    case FunctionId::tan: return [](double x) { return std::tan(x); };
    case FunctionId::asin: return [](double x) { return std::asin(x); };
    case FunctionId::acos: return [](double x) { return std::acos(x); };
    case FunctionId::atan: return [](double x) { return std::atan(x); };
    case FunctionId::sinh: return [](double x) { return std::sinh(x); };
    case FunctionId::cosh: return [](double x) { return std::cosh(x); };
    case FunctionId::tanh: return [](double x) { return std::tanh(x); };
    case FunctionId::asinh: return [](double x) { return std::asinh(x); };
    case FunctionId::acosh: return [](double x) { return std::acosh(x); };
    case FunctionId::atanh: return [](double x) { return std::atanh(x); };
    case FunctionId::rad: return [](double x) { return x * std::numbers::pi / 180; };
    case FunctionId::deg: return [](double x) { return x * 180 / std::numbers::pi; };
    case FunctionId::sgn: return sign_of;
    default: return nullptr;
  }
}

// Of a sample and the scalars of its step. nullopt: the sample is left out.
std::optional<double> with_scalars(FunctionId function, double x, double first, double second) {
  switch (function) {
    case FunctionId::clamp:
      if (first > second) return std::nullopt;
      return larger_number(first, smaller_number(second, x));
    case FunctionId::clamp_min: return larger_number(first, x);
    case FunctionId::clamp_max: return smaller_number(first, x);
    default: {  // round
      const double inverse = 1 / first;
      return std::floor(x * inverse + 0.5) / inverse;
    }
  }
}

}  // namespace

bool is_math(FunctionId function) {
  switch (function) {
    case FunctionId::clamp:
    case FunctionId::clamp_min:
    case FunctionId::clamp_max:
    case FunctionId::round: return true;
    default: return function_of_number(function) != nullptr;
  }
}

Status call_math(const CallOf& of) {
  NamelessSink sink(of.evaluation, of.argument(0), of.call.keep_metric_names, of.sink);
  const FunctionId function = of.call.function;
  if (const OneNumber apply = function_of_number(function)) {
    VARVE_RETURN_IF_ERROR(of.evaluation.each(of.argument(0), of.steps, [&](Series&& one) -> Status {
      VARVE_RETURN_IF_ERROR(of.evaluation.spend(of.steps.count()));
      one.points.each([&](std::size_t step) { one.points.value(step) = apply(one.points[step]); });
      return sink.take(std::move(one));
    }));
    return sink.finish();
  }
  std::array<Column, 2> scalars;
  for (std::size_t i = 0; i < 2; ++i) {
    if (i + 1 < of.call.arguments.size()) {
      VARVE_ASSIGN_OR_RETURN(scalars[i], of.evaluation.scalar(of.argument(i + 1), of.steps));
    } else {
      VARVE_ASSIGN_OR_RETURN(scalars[i], of.evaluation.column(of.steps));
      scalars[i].fill(1);  // what round() rounds to
    }
  }
  VARVE_RETURN_IF_ERROR(of.evaluation.each(of.argument(0), of.steps, [&](Series&& one) -> Status {
    VARVE_RETURN_IF_ERROR(of.evaluation.spend(of.steps.count()));
    one.points.each([&](std::size_t step) {
      const auto value = with_scalars(function, one.points[step], scalars[0][step], scalars[1][step]);
      if (value) {
        one.points.value(step) = *value;
      } else {
        one.points.clear(step);
      }
    });
    return sink.take(std::move(one));
  }));
  return sink.finish();
}

}  // namespace varve::language::promql
