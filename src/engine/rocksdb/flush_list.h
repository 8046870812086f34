// SPDX-License-Identifier: Apache-2.0
// FlushList: what a flush writes, run by run. A run has what the head holds of one tenant and slot; where groups have
// samples of many hours of a day that is over (a backfill, agents that were cut off), it has the day. So it has if the
// day before is such a one: what fills day after day will fill this one, too.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/runs/run.h"
#include "index/series_index.h"

namespace varve::engine::rocksdb {

// Of an immutable head. One thread.
class FlushList {
 public:
  struct Item {
    std::uint32_t tenant;
    std::uint32_t group;
    const Head::Fragment* fragment;
    std::span<const model::SeriesId> series;  // of the group
  };
  // Of one run: by group, and those of a group by time. Not empty.
  struct OfRun {
    SlotKey slot;
    std::span<const Item> items;
    // Of a group; at least one if the run has it.
    [[nodiscard]] std::span<const Item> of(std::uint32_t group) const;
  };

  FlushList(const Head& head, const index::SeriesIndex& index);
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  // The next run, valid as long as the list. `runs`: as they are now; only flushes add runs of samples.
  OfRun next(const Env& env, const Runs& runs);

 private:
  // Where a day is written as one run.
  std::optional<OfRun> next_day(const Env& env, const Runs& runs);

  std::vector<Item> items_;  // by tenant, slot and group; those of a day that is one run by group
  std::span<Item> rest_;
  std::optional<SlotKey> by_hours_;  // the day at hand, if it is not worth one run
  std::optional<SlotKey> follows_;   // the day after the last one that is one run
};

}  // namespace varve::engine::rocksdb
