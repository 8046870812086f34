// SPDX-License-Identifier: Apache-2.0
// Tables: the runs, their marks and what they hold of each series, in the database and in memory. Whoever changes them
// does it by commit(), one at a time: durable first, then visible.
//
// When a commit cannot be flushed nobody knows whether it is in the database: it is in RocksDB's memory, and the next
// flush that goes well makes it durable, whoever asks for it. So it is kept, and nothing else is committed, and no work
// that depends on the list of runs is begun, before it has been flushed and published. Until then readers have what was
// there before, which is still there: blocks go after their runs have gone from the list. Where the database had to be
// opened again, it is known whether the commit is there; if not, nothing of it is, and the work is done anew.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "engine/rocksdb/env.h"
#include "engine/rocksdb/runs/block_cache.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run_numbers.h"
#include "engine/rocksdb/runs/source.h"
#include "engine/rocksdb/runs/view.h"
#include "engine/rocksdb/series/stats_table.h"

namespace varve::engine::rocksdb {

// What a piece of work commits, and what is to be done when that is durable.
struct Change {
  const char* what = "";         // of the steps: "merge"
  Database::Commit commit = {};  // without stats and, unless it is a flush's, without checkpoint
  StatsChanges stats = {};
  bool flushes = false;         // the immutable head, whose log goes
  bool empties_series = false;  // samples or windows are gone
  std::uint64_t slots_sealed = 0;
  std::uint64_t windows = 0;
};

// Thread-safe.
class Tables {
 public:
  // When an immutable head is in the database, and gone from `visible`: where the log begins now.
  using Flushed = std::function<void(std::uint64_t first_segment)>;

  Tables(const Env& env, Visible& visible, std::unique_ptr<Database> opened)
      : env_(env), visible_(visible), cache_(env.options.cache_bytes_max), database_(std::move(opened)) {}

  // Of a start, before anything else.
  void on_flushed(Flushed flushed) { flushed_ = std::move(flushed); }
  // What the database holds; definitions in the order in which they were written.
  struct Found {
    Checkpoint checkpoint;
    std::shared_ptr<const Runs> runs;
    std::shared_ptr<const StatsTable> stats;
  };
  Result<Found> recover(const std::function<Status(std::string_view definitions)>& define) VARVE_EXCLUDES(mutex_);

  [[nodiscard]] Database& database() { return *database_; }
  [[nodiscard]] const Database& database() const { return *database_; }
  [[nodiscard]] RunNumbers& numbers() { return numbers_; }
  [[nodiscard]] std::shared_ptr<const Runs> runs() const { return visible_.runs(); }
  [[nodiscard]] std::shared_ptr<const StatsTable> stats() const { return visible_.stats(); }
  // Runs alone, with a snapshot that keeps their blocks.
  [[nodiscard]] View view_of_runs() const;
  // For readers of the view, which outlives it.
  [[nodiscard]] ScanSource source(const View& view, model::TenantId tenant) {
    return {view, *database_, cache_, env_.clock, tenant, env_.chunk_width_ms};
  }

  // Durable and published when it returns. Error: either nothing is committed, or the change is as good as committed
  // but not published; then nobody sees it before finish_commit() goes well, and nothing else is committed.
  Status commit(Change change, Database::Draft& draft) VARVE_EXCLUDES(mutex_);
  // Work that looks at the runs to change them begins with this.
  Status finish_commit() VARVE_EXCLUDES(mutex_);
  // A flush that began with numbers().begin_flush() is given up, unless its commit is on its way.
  void give_up_flush() VARVE_EXCLUDES(mutex_);
  [[nodiscard]] std::uint64_t flushed_below() const VARVE_EXCLUDES(mutex_);  // segments of the log

  // How often something went of which series may have had nothing else.
  [[nodiscard]] std::uint64_t times_emptied() const { return times_emptied_; }
  void note_emptied() { ++times_emptied_; }
  [[nodiscard]] std::uint64_t slots_sealed() const { return slots_sealed_; }
  [[nodiscard]] std::uint64_t windows_written() const { return windows_written_; }

 private:
  Result<bool> finish_locked() VARVE_REQUIRES(mutex_);  // false: it is undone
  void undo() VARVE_REQUIRES(mutex_);
  void publish(const Change& change) VARVE_REQUIRES(mutex_);

  const Env& env_;
  Visible& visible_;
  BlockCache cache_;
  RunNumbers numbers_;
  const std::unique_ptr<Database> database_;
  Flushed flushed_;
  mutable Mutex mutex_;
  Checkpoint checkpoint_ VARVE_GUARDED_BY(mutex_);             // as committed
  std::optional<Change> unfinished_ VARVE_GUARDED_BY(mutex_);  // written, but nobody knows whether it is durable
  std::atomic<std::uint64_t> times_emptied_{0};
  std::atomic<std::uint64_t> slots_sealed_{0};
  std::atomic<std::uint64_t> windows_written_{0};
};

// Which granularities are made, and of what.
Runs::Plan plan_of(const Env& env);

}  // namespace varve::engine::rocksdb
