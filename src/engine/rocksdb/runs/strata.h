// SPDX-License-Identifier: Apache-2.0
// Strata: samples of slots that have long been sealed are kept in wider slots, so that a question for a long time opens
// few blocks, and what is known of a slot is known of a day (docs/decisions/0060-strata.md). Where a stratum is there,
// it holds all samples of its time, also those that come later: slots of chunk width are only where none is.
#pragma once

#include <utility>
#include <vector>

#include "engine/rocksdb/runs/run.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// Calls each(slot, of_slot) for the tenant's raw slots of any width that overlap the range, in time order. They do not
// overlap each other.
template <class Each>
void for_each_raw_slot(const Runs& runs, model::TenantId tenant, model::TimeRange range, std::int64_t chunk_width_ms,
                       const Each& each) {
  struct Cursor {
    SlotMap<Runs::OfSlot>::Iterator at;
    SlotKey end;
  };
  std::vector<Cursor> cursors;
  const auto open = [&](std::int64_t granularity_ms, std::int64_t width_ms) {
    const Cursor cursor{runs.slots.lower_bound({tenant, granularity_ms, model::window_start(range.first, width_ms)}),
                        {tenant, granularity_ms, range.last}};
    if (cursor.at != runs.slots.end() && cursor.at->first < cursor.end) cursors.push_back(cursor);
  };
  open(0, chunk_width_ms);
  for (const std::int64_t width : runs.strata_ms()) open(kStratumGranularity + width, width);
  while (!cursors.empty()) {
    std::size_t next = 0;
    for (std::size_t i = 1; i < cursors.size(); ++i) {
      if (cursors[i].at->first.start < cursors[next].at->first.start) next = i;
    }
    Cursor& cursor = cursors[next];
    each(cursor.at->first, cursor.at->second);
    if (++cursor.at == runs.slots.end() || cursor.at->first >= cursor.end) {
      cursors.erase(cursors.begin() + static_cast<std::ptrdiff_t>(next));
    }
  }
}

// Have samples of some raw slot in the range been dropped?
inline bool any_dropped(const Runs& runs, model::TenantId tenant, model::TimeRange range, std::int64_t chunk_width_ms) {
  bool dropped = false;
  for_each_raw_slot(runs, tenant, range, chunk_width_ms,
                    [&](const SlotKey&, const Runs::OfSlot& slot) { dropped = dropped || slot.mark.dropped; });
  return dropped;
}

}  // namespace varve::engine::rocksdb
