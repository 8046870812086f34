// SPDX-License-Identifier: Apache-2.0
// Double exponential smoothing (Holt's linear method). A sample is a linear map of the state of the smoothing, always
// the same one, and a constant: so samples can be joined before it is known what state they start from.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "language/promql/range_functions.h"
#include "language/promql/sliding_fold.h"

namespace varve::language::promql {
namespace {

// Smoothed value, its last step, trend.
using SmoothState = std::array<double, 3>;
using SmoothMatrix = std::array<SmoothState, 3>;

SmoothState applied(const SmoothMatrix& matrix, const SmoothState& state) {
  SmoothState out{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 3; ++i) out[row] += matrix[row][i] * state[i];
  }
  return out;
}

SmoothMatrix product(const SmoothMatrix& a, const SmoothMatrix& b) {
  SmoothMatrix out{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      for (std::size_t i = 0; i < 3; ++i) out[row][column] += a[row][i] * b[i][column];
    }
  }
  return out;
}

struct Smoothing {
  double smooth = 0, trend = 0;  // factors

  // What one sample makes of the state.
  [[nodiscard]] SmoothState next(const SmoothState& state, double x) const {
    const double slope = trend * state[1] + (1 - trend) * state[2];
    const double value = smooth * x + (1 - smooth) * (state[0] + slope);
    return {value, value - state[0], slope};
  }
  // Of the first two samples.
  [[nodiscard]] SmoothState start(double first, double second) const {
    const double slope = second - first;
    const double value = smooth * second + (1 - smooth) * (first + slope);
    return {value, value - first, slope};
  }
  // next() without a sample.
  [[nodiscard]] SmoothMatrix matrix() const {
    SmoothMatrix out{};
    for (std::size_t i = 0; i < 3; ++i) {
      SmoothState unit{};
      unit[i] = 1;
      const SmoothState column = next(unit, 0);
      for (std::size_t row = 0; row < 3; ++row) out[row][i] = column[row];
    }
    return out;
  }
};

// A number of samples: matrix · state + constant.
struct SmoothSamples {
  bool any = false;
  SmoothMatrix matrix{};
  SmoothState constant{};

  void join(const SmoothSamples& later) {
    if (!later.any) return;
    if (!any) {
      *this = later;
      return;
    }
    constant = applied(later.matrix, constant);
    for (std::size_t i = 0; i < 3; ++i) constant[i] += later.constant[i];
    matrix = product(later.matrix, matrix);
  }
};

// Factors may differ from step to step, and NaN times 0 is no 0: then samples are taken one by one.
Status smooth_one_by_one(const RangeInput& in, Column& out) {
  Status status;
  VARVE_RETURN_IF_ERROR(walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    if (end - begin < 2 || !status) return;
    const Smoothing smoothing{in.scalars[0][step], in.scalars[1][step]};
    SmoothState state = smoothing.start(in.value(begin), in.value(begin + 1));
    for (std::size_t i = begin + 2; i < end; ++i) state = smoothing.next(state, in.value(i));
    out.set(step, state[0]);
    status = in.evaluation.spend(end - begin);
  }));
  return status;
}

bool is_constant(const Column& column) {
  for (std::size_t i = 1; i < column.size(); ++i) {
    if (column[i] != column[0]) return false;
  }
  return true;
}

Status check_factors(const RangeInput& in) {
  for (std::size_t which = 0; which < 2; ++which) {
    for (std::size_t step = 0; step < in.scalars[which].size(); ++step) {
      const double factor = in.scalars[which][step];
      if (factor > 0 && factor < 1) continue;
      return fail(Code::invalid, std::string("invalid ") + (which == 0 ? "smoothing" : "trend") +
                                     " factor. Expected: 0 < " + (which == 0 ? "sf" : "tf") +
                                     " < 1, got: " + std::to_string(factor));
    }
  }
  return {};
}

}  // namespace

Status double_exponential_smoothing(const RangeInput& in, Column& out) {
  VARVE_RETURN_IF_ERROR(check_factors(in));
  bool finite = true;
  for (std::size_t i = 0; i < in.size(); ++i) finite = finite && std::isfinite(in.value(i));
  if (!finite || in.range.steps().count() == 1 || !is_constant(in.scalars[0]) || !is_constant(in.scalars[1])) {
    return smooth_one_by_one(in, out);
  }
  const Smoothing smoothing{in.scalars[0][0], in.scalars[1][0]};
  const SmoothMatrix matrix = smoothing.matrix();
  const auto item = [&](std::size_t i) { return SmoothSamples{true, matrix, smoothing.next({}, in.value(i))}; };
  SlidingFold<SmoothSamples, decltype(item)> fold(item);
  VARVE_RETURN_IF_ERROR(fold.reserve(in.evaluation, in.size()));
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    const SmoothState start = smoothing.start(in.value(begin), in.value(begin + 1));
    const SmoothSamples samples = fold.over(begin + 2, end);
    out.set(step, samples.any ? applied(samples.matrix, start)[0] + samples.constant[0] : start[0]);
  });
}

}  // namespace varve::language::promql
