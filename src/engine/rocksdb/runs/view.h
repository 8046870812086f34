// SPDX-License-Identifier: Apache-2.0
// View: everything a query needs of one moment: the heads, the runs, and a database snapshot that still has their
// blocks. Visible: the newest one.
#pragma once

#include <memory>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {

struct View {
  std::shared_ptr<const Head> immutable;  // being flushed; may be null
  std::shared_ptr<const Head> head;       // being written; null: only the runs are read
  std::shared_ptr<const Runs> runs;
  std::shared_ptr<const StatsTable> stats;  // of what is in the runs
  std::shared_ptr<const Database::Snapshot> snapshot = nullptr;
};

// Thread-safe. Its lock is held while pointers are copied, so that a reader waits neither for the log nor for the
// database; it is taken last. What is replaced is destroyed by whoever held it last, not under the lock.
class Visible {
 public:
  void start(View first) VARVE_EXCLUDES(mutex_) {
    check(first.head != nullptr && first.runs != nullptr && first.stats != nullptr, "a view is whole");
    const MutexLock lock(mutex_);
    now_ = std::move(first);
  }

  [[nodiscard]] View now() const VARVE_EXCLUDES(mutex_) {  // without snapshot
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
  // The blocks of runs are there as long as the runs are listed: the list must be the same after the snapshot.
  [[nodiscard]] View with_snapshot(const Database& database) const VARVE_EXCLUDES(mutex_) {
    while (true) {
      const auto before = runs();
      auto snapshot = database.snapshot();
      View view = now();
      if (view.runs != before) continue;
      view.snapshot = std::move(snapshot);
      return view;
    }
  }

  // Ingest: the head becomes immutable, of which there is none.
  void rotate(std::shared_ptr<const Head> next) VARVE_EXCLUDES(mutex_) {
    check(next != nullptr, "there is always a head");
    const MutexLock lock(mutex_);
    check(now_.immutable == nullptr, "one immutable head at a time");
    now_.immutable = std::exchange(now_.head, std::move(next));
  }
  // A commit; of a flush: the immutable head goes.
  void publish(std::shared_ptr<const Runs> runs, std::shared_ptr<const StatsTable> stats, bool flushed)
      VARVE_EXCLUDES(mutex_) {
    std::shared_ptr<const Head> dropped;
    const MutexLock lock(mutex_);
    check(runs != nullptr && stats != nullptr, "a view is whole");
    check(!flushed || now_.immutable != nullptr, "what was flushed is the immutable head");
    now_.runs.swap(runs);
    now_.stats.swap(stats);
    if (flushed) dropped.swap(now_.immutable);
  }

 private:
  mutable Mutex mutex_;
  View now_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::engine::rocksdb
