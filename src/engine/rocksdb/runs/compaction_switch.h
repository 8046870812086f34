// SPDX-License-Identifier: Apache-2.0
// CompactionSwitch: may RocksDB compact? When a compaction fails, RocksDB takes no writes any more until it is opened
// again, and then begins the same compaction again. So one damaged table, or too little room for a large compaction,
// would stop every flush. Instead compactions stay off until so many flushes have gone well, more if what they read is
// damaged, and twice as many each time they fail again. In between RocksDB compacts whatever it picks before it meets
// the damaged table.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/mutex.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class CompactionSwitch {
 public:
  static constexpr std::uint64_t kFlushesFirst = 16;
  static constexpr std::uint64_t kFlushesOnDamage = 256;
  static constexpr std::uint64_t kFlushesMost = 4096;

  void failed(bool on_damage) {
    const MutexLock lock(mutex_);
    if (!is_on_) return;
    is_on_ = false;
    flushes_ = 0;
    wait_ = std::clamp(2 * wait_, on_damage ? kFlushesOnDamage : kFlushesFirst, kFlushesMost);
  }
  // A flush went well. True: they are on again from now on.
  bool flushed() {
    const MutexLock lock(mutex_);
    if (wait_ == 0 || ++flushes_ < wait_) return false;
    flushes_ = 0;
    if (is_on_) {
      wait_ = 0;  // for as long as they had been off
      return false;
    }
    is_on_ = true;
    return true;
  }
  [[nodiscard]] bool is_on() const {
    const MutexLock lock(mutex_);
    return is_on_;
  }

 private:
  mutable Mutex mutex_;
  bool is_on_ VARVE_GUARDED_BY(mutex_) = true;
  std::uint64_t wait_ VARVE_GUARDED_BY(mutex_) = 0;     // flushes to go well before they are on again; 0: all is well
  std::uint64_t flushes_ VARVE_GUARDED_BY(mutex_) = 0;  // that went well since they were switched
};

}  // namespace varve::engine::rocksdb
