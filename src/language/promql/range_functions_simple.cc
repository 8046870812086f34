// SPDX-License-Identifier: Apache-2.0
// What the edges of a range say: its first and last sample, how many there are, and how many of them differ.
#include <cmath>

#include "language/promql/range_functions.h"

namespace varve::language::promql {
namespace {

// How many i of the range, but its first, does is_event(i − 1, i) hold for?
template <class IsEvent>
Status count_events(const RangeInput& in, Column& out, IsEvent is_event) {
  std::size_t first = 0, last = 0, count = 0;  // events of (first, last]
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    if (begin > last) first = last = begin, count = 0;
    for (; last + 1 < end; ++last) count += is_event(last, last + 1) ? 1 : 0;
    for (; first < begin; ++first) count -= is_event(first, first + 1) ? 1 : 0;
    out.set(step, static_cast<double>(count));
  });
}

double seconds_of(std::int64_t ms) { return static_cast<double>(ms) / 1000; }

}  // namespace

Status count_over_time(const RangeInput& in, Column& out) {
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    out.set(step, static_cast<double>(end - begin));
  });
}

Status present_over_time(const RangeInput& in, Column& out) {
  return walk_ranges(in, [&](std::size_t step, std::size_t, std::size_t) { out.set(step, 1); });
}

Status last_over_time(const RangeInput& in, Column& out) {
  return walk_ranges(in, [&](std::size_t step, std::size_t, std::size_t end) { out.set(step, in.value(end - 1)); });
}

Status first_over_time(const RangeInput& in, Column& out) {
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t) { out.set(step, in.value(begin)); });
}

Status ts_of_last_over_time(const RangeInput& in, Column& out) {
  return walk_ranges(
      in, [&](std::size_t step, std::size_t, std::size_t end) { out.set(step, seconds_of(in.time_ms(end - 1))); });
}

Status ts_of_first_over_time(const RangeInput& in, Column& out) {
  return walk_ranges(
      in, [&](std::size_t step, std::size_t begin, std::size_t) { out.set(step, seconds_of(in.time_ms(begin))); });
}

Status changes(const RangeInput& in, Column& out) {
  return count_events(in, out, [&](std::size_t a, std::size_t b) {
    return in.value(a) != in.value(b) && !(std::isnan(in.value(a)) && std::isnan(in.value(b)));
  });
}

Status resets(const RangeInput& in, Column& out) {
  return count_events(in, out, [&](std::size_t a, std::size_t b) { return in.value(b) < in.value(a); });
}

}  // namespace varve::language::promql
