// SPDX-License-Identifier: Apache-2.0
// A straight line through the samples of a range (least squares): deriv, predict_linear.
#include <cmath>
#include <limits>

#include "language/promql/exact_sum.h"
#include "language/promql/range_functions.h"
#include "language/promql/sliding_fold.h"

namespace varve::language::promql {
namespace {

// Means of times and values, and products of the distances from them.
struct Regression {
  double count = 0;
  ExactSum seconds, values;
  double squares = 0;   // of distances in time
  double products = 0;  // with distances in value

  void join(const Regression& other) {
    if (count == 0 || other.count == 0) {
      if (count == 0) *this = other;
      return;
    }
    const double apart = difference(other.seconds.over(other.count), seconds.over(count));
    const double values_apart = difference(other.values.over(other.count), values.over(count));
    const double weight = count * other.count / (count + other.count);
    squares += other.squares + apart * apart * weight;
    products += other.products + apart * values_apart * weight;
    seconds.join(other.seconds);
    values.join(other.values);
    count += other.count;
  }
};

struct Line {
  double slope = 0;  // per second
  double value = 0;  // at the time that was asked for
};

// Values of one series that do not change give a line with no slope, to the last digit.
Line line_of(const Regression& of, bool constant, double first, double at_seconds) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (constant) return std::isinf(first) ? Line{kNone, kNone} : Line{0, first};
  const double slope = of.products / of.squares;
  const ExactSum middle = of.seconds.over(of.count);
  const double distance = (at_seconds - middle.high) - middle.low;
  return {slope, of.values.value() / of.count + slope * distance};
}

// at_step(step, line of a range with two samples or more), its value at the time of the step.
template <class AtStep>
Status walk_lines(const RangeInput& in, AtStep at_step) {
  const auto seconds = [&in](std::int64_t ms) { return static_cast<double>(ms - in.time_ms(0)) / 1000; };
  const auto item = [&](std::size_t i) {
    return Regression{1, {seconds(in.time_ms(i)), 0}, {in.value(i), 0}, 0, in.value(i) - in.value(i)};
  };
  SlidingFold<Regression, decltype(item)> fold(item);
  if (in.range.steps().count() > 1) VARVE_RETURN_IF_ERROR(fold.reserve(in.evaluation, in.size()));
  std::size_t same_end = 0;  // samples from `same_begin` up to here are equal
  std::size_t same_begin = 0;
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    for (; same_end < end; ++same_end) {
      if (same_end > 0 && in.value(same_end) != in.value(same_end - 1)) same_begin = same_end;
    }
    if (end - begin < 2) return;
    at_step(step,
            line_of(fold.over(begin, end), same_begin <= begin, in.value(begin), seconds(in.range.steps().at(step))));
  });
}

}  // namespace

Status deriv(const RangeInput& in, Column& out) {
  return walk_lines(in, [&](std::size_t step, const Line& line) { out.set(step, line.slope); });
}

Status predict_linear(const RangeInput& in, Column& out) {
  return walk_lines(
      in, [&](std::size_t step, const Line& line) { out.set(step, line.slope * in.scalars[0][step] + line.value); });
}

}  // namespace varve::language::promql
