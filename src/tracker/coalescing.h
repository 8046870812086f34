// SPDX-License-Identifier: Apache-2.0
// CoalescingTracker: a SlotTracker in front of one that another server keeps, which leaves out touches that change
// nothing: of a (member, slot) that this process touched less than half the quiet time ago.
//
// Sealing does not begin before the last touch + quiet, and a write that has not finished within quiet / 2 fails (its
// writer sees to that). So what was written beside a touch that was left out is visible when sealing reads. The
// exception is settling, which does not wait: what is given out before it is ready is never completed, as somebody may
// have left out a touch; it stays pending and is sealed once more. All replicas must coalesce alike.
#pragma once

#include <functional>

#include "tracker/touch_memory.h"

namespace varve::tracker {

class CoalescingTracker final : public SlotTracker {
 public:
  // The number changes when `below` may have lost touches: then none is left out.
  using Version = std::function<std::uint64_t()>;

  CoalescingTracker(SlotTracker& below, std::int64_t quiet_ms, std::size_t entries_max, Version version);

  Status touch(std::span<const Touch> touches, model::Timestamp now_ms) override;

  // touch() in its three steps, for whoever writes a journal (before the touch, or a replay elsewhere may miss it), or
  // asks asynchronously:
  //   list = wanted(…); write list to the journal; below.touch(list); touched(list).
  struct Wanted {
    std::vector<Touch> touches;
    std::uint64_t version = 0;
  };
  Wanted wanted(std::span<const Touch> touches, model::Timestamp now_ms);
  void touched(const Wanted& wanted, model::Timestamp now_ms);  // as wanted() was told

  Result<std::vector<Due>> due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions, std::size_t limit,
                               When when) override;
  Result<bool> complete(const Due& work) override;
  Result<std::vector<bool>> complete_all(std::span<const Due> works) override;
  Status fail(const Due& work, model::Timestamp now_ms) override { return below_.fail(work, now_ms); }
  Result<bool> pending(model::TenantId tenant, model::Timestamp slot) override { return below_.pending(tenant, slot); }
  Result<std::vector<bool>> pending_of(std::span<const Touch> entries) override { return below_.pending_of(entries); }
  Result<std::vector<model::Timestamp>> pending_slots(model::TenantId tenant, model::TimeRange range) override {
    return below_.pending_slots(tenant, range);
  }
  Result<Counts> counts() override { return below_.counts(); }
  Result<std::vector<SetAside>> set_aside(std::size_t limit) override { return below_.set_aside(limit); }

 private:
  SlotTracker& below_;
  const Version version_;
  TouchMemory memory_;
};

}  // namespace varve::tracker
