// SPDX-License-Identifier: Apache-2.0
#include "model/time_ranges.h"

namespace varve::model {

TimeRanges both(const TimeRanges& a, const TimeRanges& b) {
  TimeRanges out;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (const TimeRange common = both(a[i], b[j]); !common.empty()) out.push_back(common);
    if (a[i].last < b[j].last) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

void join(TimeRanges& ranges) {
  std::ranges::sort(ranges, {}, &TimeRange::first);
  std::size_t kept = 0;
  for (const TimeRange& range : ranges) {
    if (range.empty()) continue;
    if (kept > 0 && range.first <= ranges[kept - 1].last) {
      ranges[kept - 1].last = std::max(ranges[kept - 1].last, range.last);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

TimeRanges without(TimeRange range, const TimeRanges& ranges) {
  TimeRanges left;
  model::Timestamp from = range.first;
  for (const TimeRange& hole : ranges) {
    if (hole.last <= from) continue;
    if (hole.first >= range.last) break;
    if (hole.first > from) left.push_back({from, hole.first});
    from = hole.last;
  }
  if (from < range.last) left.push_back({from, range.last});
  return left;
}

bool overlaps(const TimeRanges& ranges, TimeRange range) {
  const auto at = std::ranges::upper_bound(ranges, range.first, {}, &TimeRange::last);
  return at != ranges.end() && at->first < range.last;
}

}  // namespace varve::model
