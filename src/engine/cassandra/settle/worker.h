// SPDX-License-Identifier: Apache-2.0
// Worker: does what is due in a partition: seals slots, makes rollup blocks of them, and coarser ones of these. Each
// step touches the next before it is complete:
//
//   samples: due → seal → touch the finest rollup blocks, and the day → complete
//   rollup blocks: due → make → touch the coarser ones → complete
//   days: due → make one row of what is sealed → complete
//
// Samples whose slot's time is over are not sealed any more: the rollup blocks over them are made at once.
//
// Work that fails on what it finds is set aside with back-off, and all other work goes on. Where store or trackers do
// not answer, the turn ends, and everything stays pending.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/cassandra/hot/pending_trackers.h"
#include "engine/cassandra/settle/widener.h"
#include "engine/cassandra/settle/work_plan.h"
#include "storage/sample_store.h"
#include "storage/slot_store.h"
#include "tracker/ownership.h"

namespace varve::engine::cassandra {

// Thread-safe.
class Worker {
 public:
  static constexpr std::size_t kColumnsAtOnce = 8192;  // sealed or made together
  static constexpr std::size_t kWorksAtOnce = 4096;
  static constexpr std::size_t kDueAtOnce = 2048;  // of a partition
  // The same of days, which have 24 times as much; and of a partition in a turn: they must not keep it from sealing.
  static constexpr std::size_t kDayColumnsAtOnce = 1024;
  static constexpr std::size_t kDaysInTurn = 256;

  struct Options {
    std::int64_t slot_ms = 3'600'000;
    std::int64_t quiet_ms = 300'000;
    std::uint32_t partitions = 64;
  };
  // `clock`: the one that all replicas share.
  Worker(const Options& options, WorkPlan& plan, PendingTrackers& trackers, const Sealer& sealer,
         const RollupBlockMaker& maker, const Widener& widener, const Clock& clock)
      : options_(options),
        plan_(plan),
        trackers_(trackers),
        sealer_(sealer),
        maker_(maker),
        widener_(widener),
        clock_(clock),
        errors_(2 + trackers.levels()) {}

  // What else is to be done in each partition's turn (and when settling); its errors do not keep from the rest. Once,
  // before anything else is called.
  using Other = std::function<Status(std::uint32_t partition, tracker::When when, const std::function<bool()>& alive,
                                     storage::SettleReport& report)>;
  void also_do(Other other) { other_ = std::move(other); }

  // All turns whose time has come. The partitions of a job are worked on together, in the turn of the first of them:
  // groups of several partitions share hot rows. `may_go_on` is asked between pieces of work. Errors: those of the
  // board.
  Status run(tracker::Ownership& ownership, const std::function<bool()>& may_go_on);

  // One partition by itself. `alive` is called between pieces of work; false: enough.
  Status turn(std::uint32_t partition, const std::function<bool()>& alive);

  // All partitions: what has ended, however recently it was touched; that stays pending and is sealed once more.
  Result<storage::SettleReport> settle();

  // Errors: those of the trackers.
  [[nodiscard]] Result<storage::SlotCounts> counts() const;
  [[nodiscard]] Result<std::vector<storage::SetAsideWork>> set_aside() const;

 private:
  using Due = tracker::Due;
  struct Turn {
    tracker::When when = tracker::When::quiet;
    const std::function<bool()>& alive;
    storage::SettleReport report;
  };

  // Stage 0 is samples, others are granularities + 1; the last one is days.
  using Partitions = std::span<const std::uint32_t>;
  Status take(std::uint32_t partition, Partitions together, Turn& turn);
  Status stages(Partitions partitions, Turn& turn);
  Status stage(std::size_t stage, Partitions partitions, Turn& turn);
  Status in_batches(std::size_t stage, std::span<const Due> dues, Turn& turn);
  Status seal(std::span<const Due> dues, Turn& turn);
  Status make_late(std::span<const Due> dues, Turn& turn);
  Result<std::vector<Due>> make_late(std::size_t level, std::span<const Due> dues, Turn& turn);
  Status make(std::size_t level, std::span<const Due> dues, Turn& turn);
  Result<std::vector<MadeRollupBlock>> make_blocks(std::size_t level, std::span<const Due> dues, Turn& turn);
  Status widen(std::span<const Due> dues, Turn& turn);
  void leave_growing_days(std::vector<Due>& dues) const;
  Result<std::vector<PendingSlots>> pending_slots(std::span<const Due> dues) const;
  Status touch_days(std::span<const Due> dues);
  Status touch_finest(std::span<const Due> dues, Turn& turn);
  Status touch_coarser(std::size_t level, std::span<const Due> dues);
  Status finish(std::size_t stage, std::span<const Due> dues);
  Status set_aside(std::size_t stage, const Due& due, const Error& error);

  [[nodiscard]] tracker::SlotTracker& tracker(std::size_t stage) const {
    if (stage == days()) return trackers_.days();
    return stage == 0 ? trackers_.samples() : trackers_.rollup_blocks(stage - 1);
  }
  [[nodiscard]] std::size_t days() const { return trackers_.levels() + 1; }
  [[nodiscard]] std::int64_t together_ms(std::size_t stage) const;

  const Options options_;
  WorkPlan& plan_;
  PendingTrackers& trackers_;
  const Sealer& sealer_;
  const RollupBlockMaker& maker_;
  const Widener& widener_;
  const Clock& clock_;
  Other other_ = [](std::uint32_t, tracker::When, const std::function<bool()>&, storage::SettleReport&) {
    return Status();
  };
  Mutex settling_;
  std::atomic<std::uint64_t> sealed_ = 0, windows_ = 0;
  mutable Mutex mutex_;
  using Key = std::pair<tracker::Member, model::Timestamp>;  // and the slot, or the rollup block's start
  mutable std::vector<std::map<Key, std::string>> errors_
      VARVE_GUARDED_BY(mutex_);  // of each stage: of what this process set aside
};

}  // namespace varve::engine::cassandra
