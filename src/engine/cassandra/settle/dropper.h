// SPDX-License-Identifier: Apache-2.0
// Dropper: deletes the hot rows of slots that are sealed, a whole partition at a time. Timestamps, which are the rows'
// arrivals, say what a delete covers:
//
//   W: every row before it exists or will never be acknowledged (hot/watermark.h) → is anything of the slot pending?
//   → the mark: hot rows that arrived before D are ignored from now on (tables/dropped_rows.h) → delete all before D
//
// D is W, less the time that hot rows are kept (slots.hot_kept). Sealing moves samples to other nodes: snapshots that
// are taken of one node after the other, within that time, have each sample in hot rows or in sealed ones; and what a
// Redis that lost touches hid can still be sealed.
//
// A row before W that was acknowledged had been touched by then. So if nothing is pending *afterwards*, sealed rows
// contain it. Later rows have greater arrivals than all that is deleted. Where the sealed rows themselves expire soon,
// the finest rollup blocks must be made, too; and while they are about to go, nothing is dropped.
//
// The journal names the slots: those of an hour are checked during the hour, and once more after it. Hours that are
// days old and needed by nobody any more are deleted (Journal::kKeptMs).
//
// Two replicas at once do the same twice. For one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/hot/journal.h"
#include "engine/cassandra/hot/pending_trackers.h"
#include "engine/cassandra/tables/data_rows.h"

namespace varve::engine::cassandra {

class Dropper {
 public:
  static constexpr std::int64_t kEveryMsMax = 300'000;

  struct Options {
    std::int64_t slot_ms = 3'600'000;
    std::int64_t samples_stored_ms = rollup::kForEver;  // from a slot's end (ChunkTable::retention_ms)
    std::vector<std::int64_t> rollup_blocks_ms;         // of each granularity
    std::int64_t hot_kept_ms = 0;                       // hot rows that arrived within this time stay
    // The same of groups that are stored for longer than those of series in no class, with such series in them.
    std::vector<std::int64_t> mixed_stored_ms = {};
  };
  // W, in µs; nullopt: not known now.
  using Watermark = std::function<std::optional<std::int64_t>()>;
  // `clock`: the one that all replicas share.
  Dropper(Options options, const Tables& tables, RowStore& rows, SeriesTables& series, PendingTrackers& pending,
          Journal& journal, Watermark watermark, const Clock& clock)
      : options_(std::move(options)),
        tables_(tables),
        rows_(rows),
        series_(series),
        pending_(pending),
        journal_(journal),
        watermark_(std::move(watermark)),
        clock_(clock) {}

  // Twelve times a slot, at the most once a second and at least every five minutes: run(). `may_go_on` is asked between
  // slots.
  Status run_when_due(const std::function<bool()>& may_go_on);
  // Drops what can be: of the last hours, and of some hours more that this process has not looked at yet. Errors: those
  // of the store and the trackers; the next run goes on.
  Status run(const std::function<bool()>& may_go_on);

  [[nodiscard]] std::uint64_t slots_dropped() const { return slots_dropped_; }

 private:
  using Slot = std::pair<std::string, model::Timestamp>;  // tenant
  // An hour of the journal.
  struct Hour {
    bool is_known = false;  // it is past, and `left` is all that is still to be dropped
    Journal::TenantSlots left;
    std::set<Slot> early;       // dropped while the hour went on, and not seen pending since
    bool is_forgotten = false;  // it has no rows
  };
  Status look_at_current(model::Timestamp hour, std::int64_t until_us, const std::function<bool()>& may_go_on);
  Status list(model::Timestamp hour, Hour& known);
  Status look_at_past(model::Timestamp hour, Hour& known, std::int64_t until_us,
                      const std::function<bool()>& may_go_on);
  Status forget(model::Timestamp hour, Hour& known, std::int64_t until_us);
  Result<std::optional<Pending>> pending_of(const std::string& tenant, const std::set<model::Timestamp>& slots);
  [[nodiscard]] bool may_drop(model::Timestamp slot, const Pending& pending) const;
  [[nodiscard]] bool may_forget(model::Timestamp slot, const Pending& pending) const;
  Result<std::int64_t> mark_of(const Slot& slot);
  Status drop(const Slot& slot, std::int64_t until_us);

  const Options options_;
  const Tables& tables_;
  RowStore& rows_;
  SeriesTables& series_;
  PendingTrackers& pending_;
  Journal& journal_;
  const Watermark watermark_;
  const Clock& clock_;
  std::optional<std::int64_t> ran_ns_;
  std::map<model::Timestamp, Hour> hours_;
  std::atomic<std::uint64_t> slots_dropped_ = 0;
};

// Dropper::Options::mixed_stored_ms.
std::vector<std::int64_t> mixed_stored_ms(const Directory& directory, const ChunkTable& sealed);

}  // namespace varve::engine::cassandra
