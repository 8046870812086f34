// SPDX-License-Identifier: Apache-2.0
// Level slots: windows of one granularity are stored in slots of their own, of about 288 windows a series; for 5
// minutes that is a day.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "engine/rocksdb/runs/run.h"
#include "model/time.h"
#include "rollup/levels.h"

namespace varve::engine::rocksdb {

inline constexpr std::int64_t kWindowsPerLevelSlot = 288;

// A multiple of the granularity and of the raw slot's width, so that the windows of a raw slot are in one level slot.
constexpr std::int64_t level_slot_width_ms(std::int64_t granularity_ms, std::int64_t chunk_width_ms) {
  const std::int64_t least = std::lcm(granularity_ms, chunk_width_ms);
  const std::int64_t wanted = granularity_ms * kWindowsPerLevelSlot;
  return wanted <= least ? least : wanted / least * least;
}

// Calls each(slot) for the existing level slots of a granularity that overlap the range, in time order, until one
// fails.
template <class Each>
Status for_each_level_slot(const Runs& runs, model::TenantId tenant, std::int64_t granularity_ms,
                           std::int64_t chunk_width_ms, model::TimeRange range, const Each& each) {
  const std::int64_t width = level_slot_width_ms(granularity_ms, chunk_width_ms);
  for (auto start = model::window_start(range.first, width); start < range.last; start += width) {
    const auto slot = runs.slots.find({tenant, granularity_ms, start});
    if (slot != runs.slots.end()) VARVE_RETURN_IF_ERROR(each(slot->second));
  }
  return {};
}

// Has the coarse window that contains `time` been made already? If not, it will be made of finer ones.
inline bool has_coarse(const Runs& runs, model::TenantId tenant, std::int64_t width_ms, model::Timestamp time) {
  const auto known = runs.slots.find({tenant, width_ms, model::window_start(time, width_ms)});
  return known != runs.slots.end() && known->second.mark.sealed > 0;
}

// Is no sample of this slot in a window yet, although a coarse window over it has been made?
inline bool comes_late(const Runs& runs, const SlotKey& slot, const rollup::Levels& rollups,
                       std::int64_t chunk_width_ms) {
  const auto known = runs.slots.find(runs.home_of(slot));
  if (known != runs.slots.end() && (known->second.mark.sealed > 0 || known->second.mark.dropped)) return false;
  return std::ranges::any_of(rollups.levels, [&](const rollup::Level& level) {
    return level.width_ms > chunk_width_ms && has_coarse(runs, slot.tenant, level.width_ms, slot.start);
  });
}

}  // namespace varve::engine::rocksdb
