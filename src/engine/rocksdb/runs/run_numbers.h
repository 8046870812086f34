// SPDX-License-Identifier: Apache-2.0
// RunNumbers: allocates the numbers of runs. A number is never reused, not even after a failure, so that leftovers of a
// failed write are never mistaken for another run.
//
// Of two runs of a slot the higher number wins, so a flush needs a higher number than all merges of older runs, even
// those that begin while it is running. A flush therefore draws a number far ahead, and until it ends others get
// numbers below that: four billion, more than any disk writes runs while one flush hangs on it. Only flushes have
// multiples of kAhead: keys.h tells their runs from others by it.
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
  static constexpr std::uint64_t kWhileFlushing = 0x1'0000'0000;  // at a flush a second 2^64 last for 136 years

  static bool is_of_flush(std::uint64_t number) { return number % kAhead == 0; }

  // At start: only numbers from `next` on are drawn.
  void start(std::uint64_t next) {
    const MutexLock lock(mutex_);
    check(next >= next_ && flush_ == 0, "numbers ascend");
    next_ = next;
  }

  std::uint64_t draw() {
    const MutexLock lock(mutex_);
    if (is_of_flush(next_)) ++next_;
    check(flush_ == 0 || next_ < flush_, "a flush outlives four billion other runs");
    return next_++;
  }

  // One flush at a time.
  std::uint64_t begin_flush() {
    const MutexLock lock(mutex_);
    check(flush_ == 0, "one flush at a time");
    return flush_ = (next_ / kAhead + 1) * kAhead + kWhileFlushing;
  }
  // The flush was published or given up.
  void end_flush() {
    const MutexLock lock(mutex_);
    if (flush_ != 0) next_ = flush_ + 1;
    flush_ = 0;
  }

  // Higher than every number drawn so far.
  [[nodiscard]] std::uint64_t end() const {
    const MutexLock lock(mutex_);
    return std::max(next_, flush_ + 1);
  }

 private:
  mutable Mutex mutex_;
  std::uint64_t next_ VARVE_GUARDED_BY(mutex_) = 1;
  std::uint64_t flush_ VARVE_GUARDED_BY(mutex_) = 0;  // number of the running flush; 0: none
};

}  // namespace varve::engine::rocksdb
