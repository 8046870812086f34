// SPDX-License-Identifier: Apache-2.0
// TouchMemory: which (member, slot) was touched lately, so that touching it again can be skipped. About 24 bytes an
// entry (slot_table.h); a slot's entries go when none of them was touched lately, and when there are too many, the slot
// goes whose touches are the oldest: forgetting costs a touch, no more.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "tracker/slot_table.h"
#include "tracker/slot_tracker.h"

namespace varve::tracker {

class TouchMemory {
 public:
  // window_ms: how long a touch is remembered.
  TouchMemory(std::int64_t window_ms, std::size_t entries_max) : window_ms_(window_ms), entries_max_(entries_max) {}

  // Those of `touches` that were not noted within the window before now_ms. A batch with equal (tenant, slot) side by
  // side is cheapest. `version` is of where the touches go: another one than last time forgets everything.
  std::vector<Touch> unknown(std::span<const Touch> touches, model::Timestamp now_ms, std::uint64_t version);

  // They were touched at now_ms. Without effect if `version` is not the one of the last unknown().
  void note(std::span<const Touch> touches, model::Timestamp now_ms, std::uint64_t version);

  [[nodiscard]] std::size_t entries() const;

 private:
  using Key = std::pair<model::TenantId, model::Timestamp>;  // tenant, slot
  struct Slot {
    SlotTable table;
    model::Timestamp touched_ms;  // last
  };
  void make_room(model::Timestamp now_ms, const Key& keep) VARVE_REQUIRES(mutex_);

  const std::int64_t window_ms_;
  const std::size_t entries_max_;
  mutable Mutex mutex_;
  std::uint64_t version_ VARVE_GUARDED_BY(mutex_) = 0;
  std::map<Key, Slot> slots_ VARVE_GUARDED_BY(mutex_);
  std::size_t entries_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::tracker
