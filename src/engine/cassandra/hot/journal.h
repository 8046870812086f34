// SPDX-License-Identifier: Apache-2.0
// Journal: which groups were written in which slots, as rows in Cassandra, by the hour in which they were written. They
// live as long as hot rows. Each process writes a row once in each hour, before the touch that it stands for, so
// whatever the trackers lose is found here. Hours are deleted earlier when everything that they name is sealed and the
// rollup blocks over it are made (settle/dropper.h).
//
// Thread-safe. What reads the store blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/cassandra/hot/shared_trackers.h"
#include "engine/cassandra/series/series_tables.h"
#include "engine/cassandra/tables/row_store.h"
#include "tracker/touch_memory.h"

namespace varve::engine::cassandra {

class Journal {
 public:
  struct Options {
    std::int64_t slot_ms = 3'600'000;
    std::int64_t quiet_ms = 300'000;  // writes take less
    std::uint32_t partitions = 64;
    std::vector<std::int64_t> rollup_blocks_ms;  // of each granularity
    std::size_t memory_max = 1 << 20;            // groups and slots of which is remembered that their row stands
  };
  // `clock`: the one that all replicas share.
  Journal(Options options, const Tables& tables, RowStore& rows, SeriesTables& series, const Clock& clock)
      : options_(std::move(options)),
        tables_(tables),
        rows_(rows),
        series_(series),
        clock_(clock),
        written_(2 * kHourMs, options_.memory_max) {}

  // --- writing
  // Those touches whose rows this process has not written in this hour.
  struct Wanted {
    std::vector<tracker::Touch> touches;
    model::Timestamp hour = 0;
  };
  [[nodiscard]] Wanted wanted(std::span<const tracker::Touch> touches, model::Timestamp now_ms);
  // Their rows, those of one partition side by side.
  void add_rows(const Wanted& wanted, std::int64_t timestamp_us, std::vector<RowWrite>& rows) const;
  void stand(const Wanted& wanted, model::Timestamp now_ms);

  // --- reading
  // Touches all that may be pending: what the journal names; and, of granularities whose rollup block is longer than it
  // goes back, what may have been changed since, of every group that there is. Errors: those of store and trackers.
  Status replay(SharedTrackers& trackers);
  // What else is to be replayed then. Once, before anything else is called.
  void also_replay(std::function<Status()> other) { others_ = std::move(other); }
  // Slots of the tenant that the journal names, ascending: while the trackers cannot say. All whose rows stood when it
  // was called; those who ask at once share one reading, which begins after all of them have asked.
  Result<std::vector<model::Timestamp>> slots(model::TenantId tenant, model::TimeRange range);

  // --- dropping
  static constexpr std::int64_t kHourMs = 3'600'000;
  static constexpr std::int64_t kClocksMs = 60'000;  // replicas' ideas of the shared time differ by less
  // At least so long after they were written: of rollup blocks that may be pending longer replay() touches all.
  static constexpr std::int64_t kKeptMs = 3 * model::kDayMs;
  static constexpr bool replays_all(std::int64_t rollup_block_ms) { return rollup_block_ms > kKeptMs - model::kDayMs; }
  using TenantSlots = std::map<std::string, std::set<model::Timestamp>>;
  // What was written in this hour. Errors: those of the store.
  Result<TenantSlots> written_in(model::Timestamp hour);
  // Hours that may have rows, and that nobody writes to any more; ascending.
  [[nodiscard]] std::vector<model::Timestamp> past_hours(model::Timestamp now_ms) const;
  // Its rows up to this timestamp go. Errors: those of the store.
  Status forget_hour(model::Timestamp hour, std::int64_t until_us);

  // Entries of which nobody knows the group, since the start.
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }

 private:
  struct Entry {
    std::string tenant;
    Hash hash;
    model::Timestamp slot = 0;
    model::Timestamp hour = 0;
  };
  [[nodiscard]] model::Timestamp first_hour(model::Timestamp now_ms) const;
  using Each = std::function<Status(std::vector<Entry>)>;
  // All entries written in these hours (both inclusive), and those of slots far ahead, some at a time. They may come
  // again.
  Status read(model::Timestamp first, model::Timestamp last, const Each& each);
  Status read_hours(std::span<const model::Timestamp> hours, const Each& each);
  Status touch(std::span<const Entry> entries, SharedTrackers& trackers);
  Status touch_long_rollup_blocks(SharedTrackers& trackers);
  Status refresh();
  Status read_new();
  [[nodiscard]] bool was_read_lately(model::Timestamp now_ms) const { return now_ms - read_ms_ <= kHourMs; }
  void sweep(model::Timestamp now_ms) VARVE_REQUIRES(mutex_);

  const Options options_;
  const Tables& tables_;
  RowStore& rows_;
  SeriesTables& series_;
  const Clock& clock_;
  tracker::TouchMemory written_;  // its version is the hour
  std::atomic<std::uint64_t> unknown_ = 0;
  std::function<Status()> others_ = [] { return Status(); };

  std::atomic<std::uint64_t> refreshes_ = 0;  // that have begun
  Mutex refreshing_ VARVE_ACQUIRED_BEFORE(mutex_);
  std::uint64_t refreshed_ VARVE_GUARDED_BY(refreshing_) = 0;  // the last one that succeeded
  std::atomic<model::Timestamp> read_ms_ = 0;                  // when the last reading began; 0: it failed
  Mutex mutex_;
  model::Timestamp swept_ VARVE_GUARDED_BY(mutex_) = 0;  // the hour
  std::map<std::pair<std::string, model::Timestamp>, model::Timestamp> slots_
      VARVE_GUARDED_BY(mutex_);  // tenant, slot: the last hour, or the slot's end
};

}  // namespace varve::engine::cassandra
