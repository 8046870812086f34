// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/pending.h"

#include <algorithm>

#include "engine/cassandra/tables/spans.h"

namespace varve::engine::cassandra {

using model::TimeRange;

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

TimeRanges distrusted(const Pending& pending, std::size_t level, std::span<const std::int64_t> granularities_ms,
                      std::int64_t slot_width_ms) {
  const std::int64_t width = granularities_ms[level];
  TimeRanges ranges;
  const auto add = [&](model::Timestamp start, std::int64_t length) {
    const model::Timestamp last = model::window_start(start + length - 1, width) + width;
    ranges.push_back({model::window_start(start, width), last});
  };
  for (const model::Timestamp slot : pending.slots) add(slot, slot_width_ms);
  const auto units = units_ms(granularities_ms.first(level + 1), slot_width_ms);
  for (std::size_t finer = 0; finer <= level; ++finer) {
    for (const model::Timestamp unit : pending.units[finer]) add(unit, units[finer]);
  }
  join(ranges);
  return ranges;
}

}  // namespace varve::engine::cassandra
