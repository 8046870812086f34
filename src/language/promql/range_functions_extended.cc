// SPDX-License-Identifier: Apache-2.0
// Extended ranges: the values at both edges are known. Anchored: from the last sample at or before the range to the
// last one in it. Smoothed: at both edges, between the samples around them. Nothing is extrapolated.
#include <algorithm>
#include <cmath>
#include <optional>

#include "language/promql/exact_sum.h"
#include "language/promql/range_functions.h"
#include "language/promql/sliding_fold.h"

namespace varve::language::promql {
namespace {

// Of one step: the samples from `first` to `last`, both of which belong to it, and the range's edges.
struct ExtendedRange {
  std::size_t first = 0, last = 0;
  std::int64_t from_ms = 0, to_ms = 0;
};

// at_step(step, range) for each step that has a result. Neither `first` nor `last` goes back.
template <class AtStep>
Status walk_extended(const RangeInput& in, AtStep at_step) {
  const bool smoothed = in.range.extension() == RangeExtension::smoothed;
  const std::int64_t around_ms = in.evaluation.options().lookback_ms;
  const std::size_t size = in.size();
  std::size_t wide_begin = 0, begin = 0, end = 0;  // from the lookback on; in the range; behind it
  for (std::size_t step = 0; step < in.range.steps().count(); ++step) {
    if (step % 16 == 0) VARVE_RETURN_IF_ERROR(in.evaluation.spend(16));
    const std::int64_t to_ms = in.range.to(step), from_ms = to_ms - in.range.width_ms();
    while (wide_begin < size && in.time_ms(wide_begin) <= from_ms - around_ms) ++wide_begin;
    while (begin < size && in.time_ms(begin) <= from_ms) ++begin;
    while (end < size && in.time_ms(end) <= to_ms) ++end;
    ExtendedRange range{begin > wide_begin ? begin - 1 : begin, 0, from_ms, to_ms};
    if (range.first >= end) continue;  // all that there is comes later
    const bool ends_before = in.time_ms(end - 1) < to_ms;
    const bool has_next = smoothed && ends_before && end < size && in.time_ms(end) <= to_ms + around_ms;
    range.last = has_next ? end : end - 1;
    if (in.time_ms(range.last) <= from_ms) continue;  // none in the range, and none behind it
    at_step(step, range);
  }
  return in.evaluation.spend(size);
}

// Between two samples. A counter that was reset between them began at 0 for the left edge, and went on for the right
// one.
double interpolated(const RangeInput& in, std::size_t before, std::int64_t time_ms, bool counter, bool left) {
  double a = in.value(before), b = in.value(before + 1);
  if (counter && b < a) {
    if (left) {
      a = 0;
    } else {
      b += a;
    }
  }
  const auto distance = static_cast<double>(in.time_ms(before + 1) - in.time_ms(before));
  return a + (b - a) * (static_cast<double>(time_ms - in.time_ms(before)) / distance);
}

Status difference_of_edges(const RangeInput& in, Column& out, bool counter, bool by_second) {
  const bool smoothed = in.range.extension() == RangeExtension::smoothed;
  const auto drop = [&in](std::size_t i) { return ExactSum{in.value(i) < in.value(i - 1) ? in.value(i - 1) : 0, 0}; };
  SlidingFold<ExactSum, decltype(drop)> drops(drop);
  if (counter) VARVE_RETURN_IF_ERROR(drops.reserve(in.evaluation, in.size()));
  const double seconds = static_cast<double>(in.range.width_ms()) / 1000;
  return walk_extended(in, [&](std::size_t step, const ExtendedRange& of) {
    const bool left_between = smoothed && in.time_ms(of.first) < of.from_ms && of.first < of.last;
    const bool right_between = smoothed && in.time_ms(of.last) > of.to_ms && of.first < of.last;
    const double left = left_between ? interpolated(in, of.first, of.from_ms, counter, true) : in.value(of.first);
    const double right = right_between ? interpolated(in, of.last - 1, of.to_ms, counter, false) : in.value(of.last);
    double change = right - left;
    // Samples within the edges, and the resets between them and to the edges.
    const std::size_t inner_first = in.time_ms(of.first) <= of.from_ms ? of.first + 1 : of.first;
    const std::size_t inner_end = in.time_ms(of.last) >= of.to_ms ? of.last : of.last + 1;
    if (counter && inner_first < inner_end) {
      if (in.value(inner_first) < left) change += left;
      change += drops.over(inner_first + 1, std::max(inner_end, inner_first + 1)).value();
      if (right < in.value(inner_end - 1)) change += in.value(inner_end - 1);
    } else if (counter && right < left) {
      change += left;
    }
    out.set(step, by_second ? change / seconds : change);
  });
}

template <class IsEvent>
Status count_from_anchor(const RangeInput& in, Column& out, IsEvent is_event) {
  std::size_t first = 0, last = 0, count = 0;  // events of (first, last]
  return walk_extended(in, [&](std::size_t step, const ExtendedRange& of) {
    if (of.first > last) first = last = of.first, count = 0;
    for (; last < of.last; ++last) count += is_event(in.value(last), in.value(last + 1)) ? 1 : 0;
    for (; first < of.first; ++first) count -= is_event(in.value(first), in.value(first + 1)) ? 1 : 0;
    out.set(step, static_cast<double>(count));
  });
}

}  // namespace

Result<RangeSeries> extended_samples(Evaluation& evaluation, const RangeOf& range, const RangeSeries& series) {
  const RangeInput in{evaluation, range, series, {}};
  const bool smoothed = range.extension() == RangeExtension::smoothed;
  RangeSeries out{series.labels, {}, {}};
  const auto add = [&](std::int64_t time_ms, double value) {
    out.times.push_back(time_ms);
    out.values.push_back(value);
  };
  VARVE_RETURN_IF_ERROR(walk_extended(in, [&](std::size_t, const ExtendedRange& of) {
    const bool left_between = smoothed && in.time_ms(of.first) < of.from_ms && of.first < of.last;
    add(of.from_ms, left_between ? interpolated(in, of.first, of.from_ms, false, true) : in.value(of.first));
    for (std::size_t i = of.first; i <= of.last; ++i) {
      if (in.time_ms(i) > of.from_ms && in.time_ms(i) < of.to_ms) add(in.time_ms(i), in.value(i));
    }
    const bool right_between = smoothed && in.time_ms(of.last) > of.to_ms && of.first < of.last;
    add(of.to_ms, right_between ? interpolated(in, of.last - 1, of.to_ms, false, false) : in.value(of.last));
  }));
  return out;
}

Status extended_rate(const RangeInput& in, Column& out) { return difference_of_edges(in, out, true, true); }
Status extended_increase(const RangeInput& in, Column& out) { return difference_of_edges(in, out, true, false); }
Status extended_delta(const RangeInput& in, Column& out) { return difference_of_edges(in, out, false, false); }

Status anchored_changes(const RangeInput& in, Column& out) {
  return count_from_anchor(in, out, [](double a, double b) { return a != b && !(std::isnan(a) && std::isnan(b)); });
}

Status anchored_resets(const RangeInput& in, Column& out) {
  return count_from_anchor(in, out, [](double a, double b) { return b < a; });
}

}  // namespace varve::language::promql
