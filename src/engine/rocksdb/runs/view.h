// SPDX-License-Identifier: Apache-2.0
// View: a consistent state of the store for a query: heads, runs, and a database snapshot that keeps the runs' blocks.
// Visible: the current view. ScanSource: a view with the context that readers of it need.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/sort_unique.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/runs/block_cache.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run.h"
#include "engine/rocksdb/series/stats_table.h"
#include "model/ids.h"
#include "rollup/levels.h"

namespace varve::engine::rocksdb {

struct View {
  std::shared_ptr<const Head> immutable;  // being flushed; may be nullptr
  std::shared_ptr<const Head> head;       // being written; nullptr: only the runs are read
  std::shared_ptr<const Runs> runs;
  std::shared_ptr<const StatsTable> stats;  // of the runs
  std::shared_ptr<const Database::Snapshot> snapshot = nullptr;
};

// Starts in [first, last) of the slots of chunk width that the heads hold samples of, of any tenant; ascending, each
// once. Appends wait only while these numbers are copied.
inline std::vector<model::Timestamp> hot_slots(const View& view, model::Timestamp first, model::Timestamp last) {
  std::vector<model::Timestamp> starts;
  for (const Head* const head : {view.head.get(), view.immutable.get()}) {
    if (head == nullptr) continue;
    const MutexLock lock(head->mutex);
    for (auto at = head->slots().lower_bound(first); at != head->slots().end() && at->first < last; ++at) {
      starts.push_back(at->first);
    }
  }
  sort_unique(starts);
  return starts;
}

// Thread-safe. Its lock is held only while pointers are copied, so readers wait neither for the log nor for the
// database; no other lock is taken under it. Replaced objects are destroyed outside the lock.
class Visible {
 public:
  void start(View first) VARVE_EXCLUDES(mutex_) {
    check(first.head != nullptr && first.runs != nullptr && first.stats != nullptr, "a view is whole");
    const MutexLock lock(mutex_);
    now_ = std::move(first);
  }

  [[nodiscard]] View now() const VARVE_EXCLUDES(mutex_) {  // without a snapshot, as a rule
    const MutexLock lock(mutex_);
    return now_;
  }
  [[nodiscard]] std::shared_ptr<const Runs> runs() const VARVE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return now_.runs;
  }
  [[nodiscard]] std::shared_ptr<const StatsTable> stats() const VARVE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return now_.stats;
  }
  [[nodiscard]] bool has_immutable() const VARVE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return now_.immutable != nullptr;
  }
  // Blocks exist while their runs are listed, so the list must be unchanged after the snapshot was taken.
  [[nodiscard]] View with_snapshot(const Database& database) const VARVE_EXCLUDES(mutex_) {
    while (true) {
      const auto before = runs();
      auto snapshot = database.snapshot();
      View view = now();
      if (view.runs != before) continue;
      if (view.snapshot == nullptr) view.snapshot = std::move(snapshot);
      return view;
    }
  }

  // To be called before blocks of listed runs are exchanged: until the next publish() all views have this snapshot, in
  // which they are as they were. nullptr: nothing was exchanged after all.
  void pin(std::shared_ptr<const Database::Snapshot> snapshot) VARVE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    now_.snapshot.swap(snapshot);
  }

  // For Ingest: makes the head immutable. There must be no immutable head.
  void rotate(std::shared_ptr<const Head> next) VARVE_EXCLUDES(mutex_) {
    check(next != nullptr, "there is always a head");
    const MutexLock lock(mutex_);
    check(now_.immutable == nullptr, "one immutable head at a time");
    now_.immutable = std::exchange(now_.head, std::move(next));
  }
  // Publishes a commit. `flushed`: it holds the immutable head, which is dropped.
  void publish(std::shared_ptr<const Runs> runs, std::shared_ptr<const StatsTable> stats, bool flushed)
      VARVE_EXCLUDES(mutex_) {
    std::shared_ptr<const Head> dropped;
    std::shared_ptr<const Database::Snapshot> pinned;
    const MutexLock lock(mutex_);
    check(runs != nullptr && stats != nullptr, "a view is whole");
    check(!flushed || now_.immutable != nullptr, "what was flushed is the immutable head");
    now_.runs.swap(runs);
    now_.stats.swap(stats);
    now_.snapshot.swap(pinned);
    if (flushed) dropped.swap(now_.immutable);
  }

 private:
  mutable Mutex mutex_;
  View now_ VARVE_GUARDED_BY(mutex_);
};

// Refers to the view and to parts of the store, which must outlive it.
struct ScanSource {
  const View& view;
  const Database& database;
  BlockCache& cache;
  const Clock& clock;  // Env::expiry
  model::TenantId tenant;
  std::int64_t chunk_width_ms;
  std::int64_t raw_retention_ms;
  const rollup::RetentionClasses* classes = nullptr;  // of series; nullptr: none has a time of its own
  bool fills_cache = false;                      // queries do: work in the background must not push out what they need
  const rollup::Levels* rollups = nullptr;       // nullptr: only samples are read
  std::span<const model::SeriesId> series = {};  // the caller's list
  std::span<const std::uint8_t> counters = {};   // for each: is it a delta counter, whose windows have no extremes?
  std::span<const std::uint8_t> plain = {};      // for each: 1: its windows hold nothing that is wanted; empty: all 0
};

}  // namespace varve::engine::rocksdb
