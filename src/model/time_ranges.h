// SPDX-License-Identifier: Apache-2.0
// Time ranges: lists of ranges, ascending, none touching the next.
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

// What lies in both; may be empty.
inline TimeRange both(TimeRange a, TimeRange b) { return {std::max(a.first, b.first), std::min(a.last, b.last)}; }
TimeRanges both(const TimeRanges& a, const TimeRanges& b);

// Makes a list of ranges in any order: sorted, those that touch or overlap joined, empty ones left out.
void join(TimeRanges& ranges);
// What of `range` lies in none of them.
TimeRanges without(TimeRange range, const TimeRanges& ranges);
[[nodiscard]] bool overlaps(const TimeRanges& ranges, TimeRange range);

}  // namespace varve::model
