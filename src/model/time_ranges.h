// SPDX-License-Identifier: Apache-2.0
// Time ranges: ascending lists of ranges that neither touch nor overlap.
#pragma once

#include <algorithm>
#include <vector>

#include "model/time.h"

namespace varve::model {

using TimeRanges = std::vector<TimeRange>;

// The first start of a window of `width_ms` that is not before t.
inline Timestamp round_up(Timestamp t, std::int64_t width_ms) {
  const Timestamp start = window_start(t, width_ms);
  return start == t ? t : start + width_ms;
}

// The same samples, without limit where it reaches the first or the last time that one may have: windows that begin
// before or end behind that hold no others, so they lie in it, too.
inline TimeRange without_limits(TimeRange range) {
  return {range.first <= kTimestampMin ? kAllTime.first : range.first,
          range.last > kTimestampMax ? kAllTime.last : range.last};
}

// The intersection; may be empty.
inline TimeRange both(TimeRange a, TimeRange b) { return {std::max(a.first, b.first), std::min(a.last, b.last)}; }
TimeRanges both(const TimeRanges& a, const TimeRanges& b);

// Turns ranges in any order into such a list: sorts them, joins those that touch or overlap, and drops empty ones.
void join(TimeRanges& ranges);
// The parts of `range` that are in none of the ranges.
TimeRanges without(TimeRange range, const TimeRanges& ranges);
[[nodiscard]] bool overlaps(const TimeRanges& ranges, TimeRange range);

}  // namespace varve::model
