// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/slots_fit.h"

#include <string>

#include "model/time.h"

namespace varve::engine::rocksdb {
namespace {

Status does_not_fit(const SlotKey& slot) {
  return fail(Code::corrupt, "FORMAT is damaged and is not written anew: the slot that begins at " +
                                 std::to_string(slot.start) +
                                 " ms cannot have the slots.width that is configured; configure the one with which the "
                                 "data were written");
}

}  // namespace

Status slots_fit(const Runs& runs, std::int64_t chunk_width_ms) {
  for (const auto& [slot, of_slot] : runs.slots) {
    if (!slot.is_raw()) continue;
    if (slot.is_stratum() && slot.raw_width_ms(chunk_width_ms) % chunk_width_ms != 0) return does_not_fit(slot);
    if (slot.start != model::window_start(slot.start, chunk_width_ms)) return does_not_fit(slot);
    const model::TimeRange range = slot.raw_range(chunk_width_ms);
    for (const auto& run : of_slot.runs) {
      if (!range.contains(run->first_time) || !range.contains(run->last_time)) return does_not_fit(slot);
    }
  }
  for (const auto& [slot, of_slot] : runs.messages) {
    if (slot.start != model::window_start(slot.start, chunk_width_ms)) return does_not_fit(slot);
  }
  return {};
}

}  // namespace varve::engine::rocksdb
