// SPDX-License-Identifier: Apache-2.0
// Late: does a slot come after a window wider than it has been made of its neighbours?
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/rocksdb/runs/run.h"
#include "model/time.h"
#include "rollup/levels.h"

namespace varve::engine::rocksdb {

// Has the coarse window that holds `time` been built already? Else it will be, of the finer ones.
inline bool has_coarse(const Runs& runs, model::TenantId tenant, std::int64_t width_ms, model::Timestamp time) {
  const auto known = runs.slots.find({tenant, width_ms, model::window_start(time, width_ms)});
  return known != runs.slots.end() && known->second.mark.sealed > 0;
}

// Is nothing of this slot in any window yet, although a window wider than it has been made of its neighbours?
inline bool comes_late(const Runs& runs, const SlotKey& slot, const rollup::Levels& rollups,
                       std::int64_t chunk_width_ms) {
  const auto known = runs.slots.find(slot);
  if (known != runs.slots.end() && (known->second.mark.sealed > 0 || known->second.mark.dropped)) return false;
  return std::ranges::any_of(rollups.levels, [&](const rollup::Level& level) {
    return level.width_ms > chunk_width_ms && has_coarse(runs, slot.tenant, level.width_ms, slot.start);
  });
}

}  // namespace varve::engine::rocksdb
