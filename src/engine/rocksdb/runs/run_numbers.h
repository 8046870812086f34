// SPDX-License-Identifier: Apache-2.0
// RunNumbers: draws the numbers of runs. Each is drawn once and never again, also after a failure: what was written
// under a number, or half written, is never mistaken for something else.
//
// Of two runs of a slot the higher number wins, so what a flush writes must stand above all that merges make of older
// runs, also of merges that begin while the flush is running. A flush therefore draws its number far ahead, and as long
// as it has not ended the others are given numbers below it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "base/mutex.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class RunNumbers {
 public:
  static constexpr std::uint64_t kAhead = std::uint64_t{1} << 20;

  // A start: nothing below `next` is drawn again.
  void start(std::uint64_t next) {
    const MutexLock lock(mutex_);
    check(next >= next_ && flush_ == 0, "numbers ascend");
    next_ = next;
  }

  std::uint64_t draw() {
    const MutexLock lock(mutex_);
    check(flush_ == 0 || next_ < flush_, "a flush outlives a million other runs");
    return next_++;
  }

  // One flush at a time.
  std::uint64_t begin_flush() {
    const MutexLock lock(mutex_);
    check(flush_ == 0, "one flush at a time");
    return flush_ = next_ + kAhead;
  }
  // It is in the list of runs, or was given up.
  void end_flush() {
    const MutexLock lock(mutex_);
    if (flush_ != 0) next_ = flush_ + 1;
    flush_ = 0;
  }

  // Higher than every number that was drawn.
  [[nodiscard]] std::uint64_t end() const {
    const MutexLock lock(mutex_);
    return std::max(next_, flush_ + 1);
  }

 private:
  mutable Mutex mutex_;
  std::uint64_t next_ VARVE_GUARDED_BY(mutex_) = 1;
  std::uint64_t flush_ VARVE_GUARDED_BY(mutex_) = 0;  // drawn by the flush that has not ended; 0: none
};

}  // namespace varve::engine::rocksdb
