// SPDX-License-Identifier: Apache-2.0
// PendingTrackers: one process' use of the shared trackers. It omits touches that would change nothing, and answers
// what is pending from the journal while the trackers cannot.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cassandra/hot/journal.h"
#include "engine/cassandra/hot/missed_touches.h"
#include "engine/cassandra/hot/pending.h"
#include "engine/cassandra/hot/shared_trackers.h"
#include "tracker/coalescing.h"

namespace varve::engine::cassandra {

// Thread-safe.
class PendingTrackers {
 public:
  struct Options {
    std::int64_t slot_ms = 3'600'000;
    std::int64_t quiet_ms = 300'000;
    std::vector<std::int64_t> rollup_blocks_ms;  // of each granularity
    std::size_t touches_max = 1 << 20;           // that are remembered
  };
  PendingTrackers(Options options, SharedTrackers& shared, Journal& journal, MissedTouches& missed_touches);

  // Its due() and complete() know of touches that were left out.
  tracker::CoalescingTracker& samples() { return samples_; }
  tracker::SlotTracker& rollup_blocks(std::size_t level) { return shared_.rollup_blocks(level); }
  tracker::SlotTracker& days() { return shared_.days(); }
  [[nodiscard]] std::size_t levels() const { return options_.rollup_blocks_ms.size(); }
  [[nodiscard]] std::int64_t rollup_block_ms(std::size_t level) const { return options_.rollup_blocks_ms[level]; }
  // samples().touch() without waiting.
  void touch(std::span<const tracker::Touch> touches, model::Timestamp now_ms, SharedTrackers::Done done);

  // Blocking. While touches may be missing, or the trackers are away or lost, whatever the journal names is pending,
  // and each rollup block over it or not yet quiet. Errors: those of the store.
  Result<Pending> pending(model::TenantId tenant, model::TimeRange range);

 private:
  Result<Pending> ask(model::TenantId tenant, model::TimeRange range);
  Status add_journal(model::TenantId tenant, model::TimeRange range, Pending& pending);

  const Options options_;
  SharedTrackers& shared_;
  Journal& journal_;
  MissedTouches& missed_touches_;
  tracker::CoalescingTracker samples_;
};

}  // namespace varve::engine::cassandra
