// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/pending.h"

#include <algorithm>

#include "base/check.h"
#include "engine/cassandra/tables/spans.h"

namespace varve::engine::cassandra {

using model::TimeRange;

TimeRanges distrusted(const Pending& pending, std::size_t level, std::span<const std::int64_t> granularities_ms,
                      std::int64_t slot_width_ms) {
  check(level < granularities_ms.size() && level < pending.rollup_blocks.size(), "a granularity that there is");
  const std::int64_t width = granularities_ms[level];
  TimeRanges ranges;
  const auto add = [&](model::Timestamp start, std::int64_t length) {
    const model::Timestamp last = model::window_start(start + length - 1, width) + width;
    ranges.push_back({model::window_start(start, width), last});
  };
  for (const model::Timestamp slot : pending.slots) add(slot, slot_width_ms);
  const auto blocks = rollup_blocks_ms(granularities_ms.first(level + 1), slot_width_ms);
  for (std::size_t finer = 0; finer <= level; ++finer) {
    for (const model::Timestamp start : pending.rollup_blocks[finer]) add(start, blocks[finer]);
  }
  join(ranges);
  return ranges;
}

}  // namespace varve::engine::cassandra
