// SPDX-License-Identifier: Apache-2.0
// How RocksDB is set up, wherever a database is opened. Included by database*.cc only.
#pragma once

#include <rocksdb/options.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"

namespace varve::engine::rocksdb {

// What RocksDB's own threads have met since it was opened, after which its reports of success cannot be trusted.
// Thread-safe.
class Failures {
 public:
  void note() { any_ = true; }
  void note_compaction(Error error) {
    const MutexLock lock(mutex_);
    if (!compaction_) compaction_ = std::move(error);
    any_ = true;
  }
  [[nodiscard]] bool any() const { return any_; }
  // Forgets them all; returns what a compaction failed with.
  std::optional<Error> clear() {
    const MutexLock lock(mutex_);
    any_ = false;
    return std::exchange(compaction_, std::nullopt);
  }

 private:
  std::atomic<bool> any_{false};
  Mutex mutex_;
  std::optional<Error> compaction_ VARVE_GUARDED_BY(mutex_);
};

// `failures`: of flushes and compactions; nullptr: nobody is told. A database must exist.
::rocksdb::Options database_options(const std::shared_ptr<Failures>& failures);

}  // namespace varve::engine::rocksdb
