// SPDX-License-Identifier: Apache-2.0
// SlotStore: reports how far time slots are sealed, and by what time they expire, for people and metrics. Neither
// ingestion nor queries use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace varve::storage {

enum class SlotPhase {
  hot,      // in memory and in the log, perhaps besides what was sealed before
  pending,  // stored, and not (wholly) in the rollups yet
  sealed,
  dropped  // its samples have outlived raw.retention; what was made of them is kept
};
constexpr std::string_view to_string(SlotPhase phase) {
  constexpr std::string_view kNames[] = {"hot", "pending", "sealed", "dropped"};
  return kNames[static_cast<int>(phase)];
}

struct SlotState {
  model::Timestamp start = 0;
  model::Timestamp end = 0;
  SlotPhase phase = SlotPhase::hot;
  std::uint64_t samples = 0;  // stored; what is hot is not counted
  std::uint64_t bytes = 0;
  std::uint32_t fragments = 0;
  std::uint32_t open_groups = 0;  // line groups that are not in the rollups although the slot is sealed
};

// Work that failed on the data it found, and the time of the next attempt. Everything else continues.
struct SetAsideWork {
  model::TenantId tenant{};
  model::Timestamp slot = 0;
  std::int64_t granularity_ms = 0;  // 0: raw samples
  std::string_view work;            // seal, merge or coarsen
  std::string series;               // the first of the line group, as metric{tag=value}; empty: the whole slot
  std::uint32_t failures = 0;       // in a row
  model::Timestamp retry_ms = 0;
  std::string error;
};

struct SlotCounts {
  // Time slots of tenants that are not completely rolled up, or consist of several fragments, or are in memory.
  std::uint64_t pending = 0;
  std::uint64_t set_aside = 0;  // pieces of work
  std::uint64_t sealed = 0;     // since the start
  std::uint64_t windows = 0;    // of rollups written since the start
  // Rollup blocks that wait for the end of their time range, which may be weeks ahead; the embedded engine has none.
  std::uint64_t rollup_blocks_pending = 0;
  std::uint64_t clock_jumps = 0;   // ahead, since the start
  std::int64_t clock_held_ms = 0;  // how far the clock is ahead of the time by which data expire; 0: it is believed
};

// All methods are thread-safe.
class SlotStore {
 public:
  virtual ~SlotStore() = default;
  [[nodiscard]] virtual SlotCounts slot_counts() const = 0;  // over all tenants
  // The tenant's slots, latest first.
  [[nodiscard]] virtual std::vector<SlotState> slots(model::TenantId tenant, std::size_t limit) const = 0;
  // The same of its messages, which are counted as samples. An engine that stores none has none.
  [[nodiscard]] virtual std::vector<SlotState> message_slots(model::TenantId /*tenant*/, std::size_t /*limit*/) const {
    return {};
  }
  [[nodiscard]] virtual std::vector<SetAsideWork> set_aside() const = 0;  // of all tenants
  // Data expire by the clock as it is now, although it has jumped. An engine that does not doubt it does nothing.
  virtual void trust_clock() {}
};

}  // namespace varve::storage
