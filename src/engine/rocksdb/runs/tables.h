// SPDX-License-Identifier: Apache-2.0
// Tables: the runs, their marks and the series stats, in the database and in memory. All changes go through commit(),
// one at a time: they become durable first, then visible.
//
// If a commit cannot be flushed, it is unknown whether it is in the database: it is in RocksDB's memory, and the next
// successful flush makes it durable. So it is kept, and until it has been flushed and published nothing else is
// committed, and no work that depends on the list of runs begins. Meanwhile readers see the previous state, whose
// blocks still exist: blocks are erased after their runs have left the list. If the database had to be reopened, it is
// known whether the commit is there; if it is not, the work is repeated.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/runs/block_cache.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run_numbers.h"
#include "engine/rocksdb/runs/view.h"
#include "engine/rocksdb/series/stats_changes.h"

namespace varve::engine::rocksdb {

// What a job commits, and what happens once it is durable.
struct Change {
  const char* what = "";         // name of the job in steps (Options::at_step): "merge"
  Database::Commit commit = {};  // without stats and, except for a flush, without checkpoint
  StatsChanges stats = {};
  bool flushes = false;         // it holds the immutable head, whose log segments can be removed
  bool empties_series = false;  // it removes samples or windows
  std::uint64_t slots_sealed = 0;
  std::uint64_t windows = 0;
};

// Thread-safe.
class Tables {
 public:
  // Called when the immutable head is in the database and no longer in `visible`. The log begins at `first_segment`
  // now.
  using Flushed = std::function<void(std::uint64_t first_segment)>;

  Tables(const Env& env, Visible& visible, std::unique_ptr<Database> opened)
      : env_(env),
        visible_(visible),
        cache_(env.options.cache_bytes_max),
        messages_(env.options.cache_bytes_max),
        database_(std::move(opened)) {}

  // To be called at start, before anything else.
  void on_flushed(Flushed flushed) { flushed_ = std::move(flushed); }
  // The contents of the database; `define` gets the definitions in order of writing.
  struct Found {
    Checkpoint checkpoint;
    std::shared_ptr<const Runs> runs;
    std::shared_ptr<const StatsTable> stats;
  };
  Result<Found> recover(const std::function<Status(std::string_view definitions)>& define) VARVE_EXCLUDES(mutex_);

  [[nodiscard]] Database& database() { return *database_; }
  [[nodiscard]] const Database& database() const { return *database_; }
  [[nodiscard]] MessageCache& messages() { return messages_; }
  // Of what is cached. For one thread, now and then.
  void drop_unused(std::int64_t steady_ns) {
    if (steady_ns - dropped_ns_ < kCacheIntervalNs) return;
    dropped_ns_ = steady_ns;
    cache_.drop_unused();
    messages_.drop_unused();
  }
  [[nodiscard]] RunNumbers& numbers() { return numbers_; }
  [[nodiscard]] std::shared_ptr<const Runs> runs() const { return visible_.runs(); }
  [[nodiscard]] std::shared_ptr<const StatsTable> stats() const { return visible_.stats(); }
  // A view of the runs without heads, with a snapshot that keeps their blocks.
  [[nodiscard]] View view_of_runs() const;
  // The context for readers of the view, which must outlive it.
  [[nodiscard]] ScanSource source(const View& view, model::TenantId tenant) {
    return {view,
            *database_,
            cache_,
            env_.expiry,
            tenant,
            env_.chunk_width_ms,
            env_.options.raw_retention_ms,
            env_.classes.empty() ? nullptr : &env_.classes};
  }

  // The change is durable and published when it returns. Error: either nothing is committed, or the change is written
  // but not published; then it becomes visible when finish_commit() succeeds, and nothing else is committed before.
  Status commit(Change change, Database::Draft& draft) VARVE_EXCLUDES(mutex_);
  // Finishes or undoes an earlier commit that failed. To be called before a job reads the runs in order to change them.
  Status finish_commit() VARVE_EXCLUDES(mutex_);
  // Gives up a flush that began with numbers().begin_flush(), unless its commit is unfinished.
  void give_up_flush() VARVE_EXCLUDES(mutex_);
  // Log segments below this one are in the database.
  [[nodiscard]] std::uint64_t flushed_below() const VARVE_EXCLUDES(mutex_);

  // Counts changes after which series may be without data.
  [[nodiscard]] std::uint64_t times_emptied() const { return times_emptied_; }
  void note_emptied() { ++times_emptied_; }
  [[nodiscard]] std::uint64_t slots_sealed() const { return slots_sealed_; }
  [[nodiscard]] std::uint64_t windows_written() const { return windows_written_; }

 private:
  Result<bool> finish_locked() VARVE_REQUIRES(mutex_);  // false: the commit was undone
  void undo() VARVE_REQUIRES(mutex_);
  void publish(const Change& change, std::shared_ptr<const Runs> runs) VARVE_REQUIRES(mutex_);

  const Env& env_;
  Visible& visible_;
  BlockCache cache_;
  MessageCache messages_;
  std::int64_t dropped_ns_ = 0;
  RunNumbers numbers_;
  const std::unique_ptr<Database> database_;
  Flushed flushed_;
  bool counts_records_ = true;  // false: there are records that say nothing, of which Runs does not know
  mutable Mutex mutex_;
  Checkpoint checkpoint_ VARVE_GUARDED_BY(mutex_);                  // as committed
  std::optional<Change> unfinished_ VARVE_GUARDED_BY(mutex_);       // written; unknown whether it is durable
  std::shared_ptr<const Runs> runs_then_ VARVE_GUARDED_BY(mutex_);  // with what is unfinished
  std::atomic<std::uint64_t> times_emptied_{0};
  std::atomic<std::uint64_t> slots_sealed_{0};
  std::atomic<std::uint64_t> windows_written_{0};
};

// Which granularities are made of samples, and which of finer windows.
Runs::Plan plan_of(const Env& env);

}  // namespace varve::engine::rocksdb
