// SPDX-License-Identifier: Apache-2.0
// The jobs that make runs of older runs: what each is given is all that it may touch. None sees a head or the log, and
// none takes a lock that appends or flushes need for longer than it takes to ask the index.
//
// One job at a time: only flushes change the runs meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/rocksdb/env.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/settle/set_aside.h"

namespace varve::engine::rocksdb {

class RollupWriter;

struct JobContext {
  const Env& env;
  const Catalog& catalog;
  Tables& tables;
  SetAside& set_aside;
};

// Commits what a writer of windows has made.
Status commit_rollups(Tables& tables, RollupWriter& writer, Change change, Database::Draft& draft);

// Partitions whose series are sealed here, ascending.
std::vector<std::uint32_t> owned_partitions(const Options& options);

// --- merge.cc: the runs of a slot become one, or the slot is set aside
Status merge(const JobContext& job, const SlotKey& slot);
// Slots that should be merged now; all: that can be.
std::vector<SlotKey> mergeable(const JobContext& job, bool all);

// --- seal.cc: raw slots into windows
Status seal(const JobContext& job, std::span<const SlotKey> slots);
std::vector<SlotKey> sealable(const JobContext& job, std::int64_t ended_before_ms);

// --- coarse.cc: windows into windows wider than a slot
Status seal_coarse(const JobContext& job, std::span<const CoarseWindow> windows);
std::vector<CoarseWindow> coarse_due(const JobContext& job, std::int64_t ended_before_ms);
// Adds the marks of windows that stay up to date although the runs that they were made of are replaced.
void keep_coarse_fresh(const Env& env, const Runs& current, Database::Commit& commit);

// --- retention.cc: whole slots go
class Retention {
 public:
  explicit Retention(const JobContext& job) : job_(job), last_ms_(job.env.clock.now_ms()) {}
  // Is anything over? Looks no more often than is needed.
  bool due();
  Status drop_expired();

 private:
  [[nodiscard]] bool looks_again() const;

  const JobContext job_;
  std::int64_t last_ms_;  // when it was looked; the start counts
};

// --- reclaim.cc: samples and windows whose time to live is over
class Reclaim {
 public:
  explicit Reclaim(const JobContext& job) : job_(job) {}
  Status recover();  // of a start
  [[nodiscard]] bool due() const;
  [[nodiscard]] bool under_way() const { return !slots_.empty(); }
  Status some();  // one slot of those that are due, or looks for them
  Status all();   // of this moment

 private:
  void find_slots();
  Result<bool> holds_expired(const SlotKey& slot);

  const JobContext job_;
  std::int64_t done_ms_ = model::kTimestampMin;  // what was over then is gone
  std::int64_t until_ms_ = 0;                    // this look
  std::vector<SlotKey> slots_;                   // that it has yet to do
};
// Are all samples of the slot that are this group's, or windows that are of its series, over?
bool is_expired(const JobContext& job, const SlotKey& slot, std::uint32_t group, std::int64_t now_ms)
    VARVE_REQUIRES_SHARED(job.catalog.mutex);

}  // namespace varve::engine::rocksdb
