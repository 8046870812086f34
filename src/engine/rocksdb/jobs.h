// SPDX-License-Identifier: Apache-2.0
// Jobs: maintenance work that turns runs into other runs. A job touches only its arguments. No job accesses a head or
// the log, and none holds a lock that appends or flushes need for longer than an index look-up takes.
//
// One job runs at a time; only flushes change the runs meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/settle/set_aside.h"
#include "message/condition.h"
#include "storage/go_on.h"

namespace varve::engine::rocksdb {

class RollupWriter;

struct JobContext {
  const Env& env;
  const Catalog& catalog;
  Tables& tables;
  SetAside& set_aside;

  // What has grown since then is not quiet; of the steady clock.
  [[nodiscard]] std::int64_t quiet_before_ns() const {
    return env.clock.steady_ns() - env.options.merge_quiet_ms * 1'000'000;
  }
};

// Commits the change together with the windows that the writer has written.
Status commit_rollups(Tables& tables, RollupWriter& writer, Change change, Database::Draft& draft);

// The partitions whose series this process seals, ascending.
std::vector<std::uint32_t> owned_partitions(const Options& options);

// --- merge.cc: merges the runs of each slot, with one commit; slots with damaged runs are set aside
// `whole`: of a stratum also what is not worth it yet; of a level slot that grows still it never is.
Status merge(const JobContext& job, std::span<const SlotKey> slots, bool whole);
// Slots that should be merged now; with `all`: that can be merged.
std::vector<SlotKey> mergeable(const JobContext& job, bool all);

// --- widen.cc: turns the raw slots of each stratum into it, with one commit; those with damaged runs are set aside
Status widen(const JobContext& job, std::span<const SlotKey> strata);
struct Widening {
  SlotKey stratum;
  std::size_t slots;    // it is made of
  std::uint64_t bytes;  // of their runs
};
// Strata of one width that can be made, of slots that have been quiet for long; with `all`, of those of chunk width
// whether quiet or not.
std::vector<Widening> widenable(const JobContext& job, bool all);
// Takes from a list, which is not empty, as many as one commit can hold.
std::vector<SlotKey> next_to_widen(std::span<const Widening>& list);

// --- seal.cc: rolls raw slots up into windows
Status seal(const JobContext& job, std::span<const SlotKey> slots);

// --- sealable.cc: which slots are rolled up
// All that have ended before then and have something new; ascending.
std::vector<SlotKey> sealable(const JobContext& job, std::int64_t ended_before_ms);
// Takes from a list, which is not empty, the first slots of one tenant whose windows share level slots.
std::span<const SlotKey> next_together(const Env& env, std::span<const SlotKey>& list);
// The pending slots that share level slots, where all of them have ended before then, none has been sealed before, none
// has grown for as long as a merge waits, none is set aside, and nothing of that time is in a head; ascending.
// `in_heads`: where the slots of the heads begin, ascending.
std::vector<SlotKey> quiet_sets(const JobContext& job, std::int64_t ended_before_ms,
                                std::span<const model::Timestamp> in_heads);
// Of pending slots that share level slots whose time had ended before then, and none of which has been sealed before or
// is set aside: all, where one has grown for less than a merge waits; ascending.
std::vector<SlotKey> growing_sets(const JobContext& job, std::int64_t ended_before_ms);

// --- seal_messages.cc: turns the runs of each slot of messages into one of sealed blocks, with one commit; damaged
// slots are set aside
Status seal_messages(const JobContext& job, std::span<const SlotKey> slots);
std::vector<SlotKey> sealable_messages(const JobContext& job, std::int64_t ended_before_ms);

// --- erase_messages.cc: deletes messages; returns how many
struct MessageErasure {
  model::TenantId tenant{};
  std::int64_t first_us = 0;  // both inclusive
  std::int64_t last_us = 0;
  const message::Condition& condition;
  const storage::GoOn& go_on;
};
Result<std::uint64_t> erase_messages(const JobContext& job, const MessageErasure& what);

// --- coarse.cc: combines windows into windows wider than a slot
Status seal_coarse(const JobContext& job, std::span<const CoarseWindow> windows);
std::vector<CoarseWindow> coarse_due(const JobContext& job, std::int64_t ended_before_ms);
// Adds marks to the commit, so that windows stay up to date although runs that they were made of are replaced.
void keep_coarse_fresh(const Env& env, const Runs& current, Database::Commit& commit);

// --- retention.cc: drops whole slots
class Retention {
 public:
  explicit Retention(const JobContext& job) : job_(job), last_ms_(job.env.steady_ms()) {}
  // Has anything expired? Checks no more often than the retentions require.
  bool due();
  Status drop_expired();

 private:
  [[nodiscard]] bool looks_again() const;

  const JobContext job_;
  std::int64_t last_ms_;  // of the last check, steady; the start counts as one
};

// --- reclaim.cc: drops samples and windows whose TTL, or class, is over
class Reclaim {
 public:
  explicit Reclaim(const JobContext& job) : job_(job) {}
  Status recover();  // at start
  [[nodiscard]] bool due();
  [[nodiscard]] bool under_way() const { return !slots_.empty(); }
  Status some();  // does one slot, or finds those that are due
  Status all();   // does all slots that are due now

 private:
  [[nodiscard]] std::size_t mortal_groups() const;   // how many
  std::uint32_t shortest_ttl_s(std::size_t groups);  // of the first `groups` mortal ones
  void add_class_over(const SlotKey& slot, std::int64_t now_ms, std::vector<std::uint32_t>& groups) const;
  void find_slots();
  void go_back_with_clock();
  Result<bool> holds_expired(const SlotKey& slot);

  const JobContext job_;
  std::int64_t done_ms_ = model::kTimestampMin;  // all that had expired by then is gone
  bool is_noted_ = true;                         // for which classes, in the database
  std::int64_t until_ms_ = 0;                    // becomes done_ms_ when slots_ is empty
  std::vector<SlotKey> slots_;                   // still to be done
  // Of the groups that were looked at: it is asked for each second, and each group is looked at once.
  std::uint32_t shortest_s_ = UINT32_MAX;
  std::size_t looked_ = 0;
};
// Are all of them older than the classes of their series are kept?
bool is_class_over(const JobContext& job, const SlotKey& slot, std::uint32_t group, std::int64_t now_ms)
    VARVE_REQUIRES_SHARED(job.catalog.mutex);
// The same of what a series has before `end`.
bool is_class_over(const Env& env, const Catalog& catalog, model::SeriesId series, model::Timestamp end,
                   std::int64_t now_ms) VARVE_REQUIRES_SHARED(catalog.mutex);
// Have all samples of the group in a raw slot, or all windows of the rollup group in a level slot, expired?
bool is_expired(const JobContext& job, const SlotKey& slot, std::uint32_t group, std::int64_t now_ms)
    VARVE_REQUIRES_SHARED(job.catalog.mutex);

}  // namespace varve::engine::rocksdb
