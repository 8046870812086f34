// SPDX-License-Identifier: Apache-2.0
// FlushList: what a flush writes, run by run. A run has what the head holds of one tenant and slot; where groups have
// samples of many hours of a day that is over (a backfill, agents that were cut off), it has the day. So it has if the
// day before is such a one: what fills day after day will fill this one, too.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/runs/run.h"
#include "engine/rocksdb/series/catalog.h"

namespace varve::engine::rocksdb {

// Of an immutable head. One thread.
class FlushList {
 public:
  struct Item {
    std::uint32_t group;
    model::Timestamp slot;  // of the fragment
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

  FlushList(const Env& env, const Head& head, const Catalog& catalog);
  [[nodiscard]] bool empty() const { return rest_.empty() && days_.empty(); }
  // The next run, valid until the next call. `runs`: as they are now; only flushes add runs of samples.
  OfRun next(const Runs& runs);

 private:
  using Day = std::pair<std::uint32_t, model::Timestamp>;  // of a tenant; its start

  // Lists the next groups of the head, and whose they are. False: there are no more.
  bool add_groups(const Head& head, const Catalog& catalog, std::uint32_t& from);

  // Takes the next day. None: it is written by hours, which are in rest_.
  std::optional<OfRun> next_day(const Runs& runs);
  // Is what the head holds of the day at hand one run?
  [[nodiscard]] bool is_stratum(const Runs& runs, const SlotKey& stratum) const;

  // May the day be a stratum from now on, or does it lie in one? What is beyond the retention goes hour by hour.
  [[nodiscard]] bool takes_days(const Runs& runs, const SlotKey& stratum) const;

  const Env& env_;
  const Catalog& catalog_;
  std::int64_t day_ms_;  // width of the narrowest strata
  bool has_strata_;
  std::map<Day, std::vector<Item>> days_;  // those that are left; of each, by group
  Day day_{};                              // at hand
  std::vector<Item> items_;                // of it
  std::span<Item> rest_;                   // of them, where it is written by hours: by slot and group
  std::optional<SlotKey> follows_;         // the day after the last one that is one run
};

}  // namespace varve::engine::rocksdb
