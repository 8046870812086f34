// SPDX-License-Identifier: Apache-2.0
// Sums, means and variances of ranges.
#include <cmath>

#include "language/promql/exact_sum.h"
#include "language/promql/range_functions.h"
#include "language/promql/sliding_fold.h"

namespace varve::language::promql {
namespace {

struct RangeSum {
  ExactSum sum;
  bool infinite = false;  // one of the values is

  void join(const RangeSum& other) {
    sum.join(other.sum);
    infinite = infinite || other.infinite;
  }
};

// Mean and squared distances from it. Joined by the difference of means, so that nothing cancels.
struct RangeVariance {
  double count = 0;
  ExactSum sum;
  double squares = 0;

  void join(const RangeVariance& other) {
    if (count == 0 || other.count == 0) {
      if (count == 0) *this = other;
      return;
    }
    const double apart = difference(other.sum.over(other.count), sum.over(count));
    squares += other.squares + apart * apart * (count * other.count / (count + other.count));
    sum.join(other.sum);
    count += other.count;
  }
};

template <class State, class Item, class Result>
Status fold_ranges(const RangeInput& in, Column& out, Item item, Result result) {
  SlidingFold<State, Item> fold(item);
  if (in.range.steps().count() > 1) VARVE_RETURN_IF_ERROR(fold.reserve(in.evaluation, in.size()));
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    out.set(step, result(fold.over(begin, end), begin, end));
  });
}

auto sum_item(const RangeInput& in) {
  return [&in](std::size_t i) { return RangeSum{{in.value(i), 0}, std::isinf(in.value(i))}; };
}

// Where the sum of finite values is not finite.
double mean_step_by_step(const RangeInput& in, std::size_t begin, std::size_t end) {
  in.evaluation.note(end - begin);
  ExactSum mean{in.value(begin), 0};
  for (std::size_t i = begin + 1; i < end; ++i) {
    const double count = static_cast<double>(i - begin + 1), share = (count - 1) / count;
    mean = {share * mean.high, share * mean.low};
    mean.add(in.value(i) / count);
  }
  return mean.value();
}

// With the rounding of Prometheus.
double variance_step_by_step(const RangeInput& in, std::size_t begin, std::size_t end) {
  in.evaluation.note(end - begin);
  double count = 0;
  ExactSum mean, squares;
  for (std::size_t i = begin; i < end; ++i) {
    const double x = in.value(i), apart = x - mean.value();
    mean.add(apart / ++count);
    squares.add(apart * (x - mean.value()));
  }
  return squares.value() / count;
}

// Of values that are so large that their last digits are what they differ by, another rounding is another answer.
bool depends_on_rounding(const RangeVariance& of) {
  const double mean = of.sum.value() / of.count;
  return of.squares > 0 && mean * mean > 1e18 * (of.squares / of.count);
}

Status variances(const RangeInput& in, Column& out, bool root) {
  const auto item = [&in](std::size_t i) {
    const double x = in.value(i);
    return RangeVariance{1, {x, 0}, x - x};  // NaN if x is not finite
  };
  return fold_ranges<RangeVariance>(in, out, item, [&](const RangeVariance& of, std::size_t begin, std::size_t end) {
    const double variance = depends_on_rounding(of) ? variance_step_by_step(in, begin, end) : of.squares / of.count;
    return root ? std::sqrt(variance) : variance;
  });
}

}  // namespace

Status sum_over_time(const RangeInput& in, Column& out) {
  return fold_ranges<RangeSum>(in, out, sum_item(in),
                               [](const RangeSum& of, std::size_t, std::size_t) { return of.sum.value(); });
}

Status avg_over_time(const RangeInput& in, Column& out) {
  return fold_ranges<RangeSum>(in, out, sum_item(in), [&](const RangeSum& of, std::size_t begin, std::size_t end) {
    if (std::isinf(of.sum.high) && !of.infinite) return mean_step_by_step(in, begin, end);
    const double count = static_cast<double>(end - begin);
    return of.sum.high / count + of.sum.low / count;
  });
}

Status stddev_over_time(const RangeInput& in, Column& out) { return variances(in, out, true); }

Status stdvar_over_time(const RangeInput& in, Column& out) { return variances(in, out, false); }

}  // namespace varve::language::promql
