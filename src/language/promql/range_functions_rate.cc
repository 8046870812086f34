// SPDX-License-Identifier: Apache-2.0
// Differences between the samples of a range: rate, increase, delta; irate, idelta.
#include <algorithm>

#include "language/promql/exact_sum.h"
#include "language/promql/range_functions.h"
#include "language/promql/sliding_fold.h"

namespace varve::language::promql {
namespace {

constexpr double kMsPerSecond = 1000;

// Item i: what a counter had counted when it was reset between the samples i − 1 and i.
auto drop_before(const RangeInput& in) {
  return [&in](std::size_t i) { return ExactSum{in.value(i) < in.value(i - 1) ? in.value(i - 1) : 0, 0}; };
}

bool ever_drops(const RangeInput& in) {
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (in.value(i) < in.value(i - 1)) return true;
  }
  return false;
}

// By how much the difference between the first and the last sample grows if it is to be that of the whole range.
double extrapolation(const RangeInput& in, std::size_t step, std::size_t begin, std::size_t end, bool counter,
                     double change) {
  const std::int64_t to_ms = in.range.to(step), first_ms = in.time_ms(begin), last_ms = in.time_ms(end - 1);
  double before = static_cast<double>(first_ms - (to_ms - in.range.width_ms())) / kMsPerSecond;
  double behind = static_cast<double>(to_ms - last_ms) / kMsPerSecond;
  const double between = static_cast<double>(last_ms - first_ms) / kMsPerSecond;
  const double mean_distance = between / static_cast<double>(end - begin - 1);
  // So near, the sample before the first one would have been outside.
  const double near = mean_distance * 1.1;
  if (before >= near) before = mean_distance / 2;
  if (counter && change > 0 && in.value(begin) >= 0) {
    before = std::min(before, between * (in.value(begin) / change));  // when it was 0
  }
  if (behind >= near) behind = mean_distance / 2;
  return (between + before + behind) / between;
}

Status extrapolated(const RangeInput& in, Column& out, bool counter, bool by_second) {
  SlidingFold<ExactSum, decltype(drop_before(in))> drops(drop_before(in));
  const bool has_drops = counter && ever_drops(in);
  if (has_drops) VARVE_RETURN_IF_ERROR(drops.reserve(in.evaluation, in.size()));
  const double seconds = static_cast<double>(in.range.width_ms()) / kMsPerSecond;
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    double change = in.value(end - 1) - in.value(begin);
    if (has_drops) change += drops.over(begin + 1, end).value();
    double factor = extrapolation(in, step, begin, end, counter, change);
    if (by_second) factor /= seconds;
    out.set(step, change * factor);
  });
}

Status of_last_two(const RangeInput& in, Column& out, bool counter) {
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    const double before = in.value(end - 2), last = in.value(end - 1);
    double change = counter && last < before ? last : last - before;
    if (counter) change /= static_cast<double>(in.time_ms(end - 1) - in.time_ms(end - 2)) / kMsPerSecond;
    out.set(step, change);
  });
}

}  // namespace

Status rate(const RangeInput& in, Column& out) { return extrapolated(in, out, true, true); }
Status increase(const RangeInput& in, Column& out) { return extrapolated(in, out, true, false); }
Status delta(const RangeInput& in, Column& out) { return extrapolated(in, out, false, false); }
Status irate(const RangeInput& in, Column& out) { return of_last_two(in, out, true); }
Status idelta(const RangeInput& in, Column& out) { return of_last_two(in, out, false); }

}  // namespace varve::language::promql
