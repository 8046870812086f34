// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/head/slab_pool.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace varve::engine::rocksdb {

std::unique_ptr<std::byte[]> SlabPool::take() {
  const MutexLock lock(mutex_);
  if (free_.empty()) return std::make_unique_for_overwrite<std::byte[]>(kSlabBytes);
  auto slab = std::move(free_.back());
  free_.pop_back();
  least_ = std::min(least_, free_.size());
  return slab;
}

void SlabPool::give(std::unique_ptr<std::byte[]> slab) {
  check(slab != nullptr, "a slab that is given back was taken");
  const MutexLock lock(mutex_);
  if (free_.size() < keep_max_) free_.push_back(std::move(slab));
}

void SlabPool::shrink(std::int64_t steady_ns) {
  std::vector<std::unique_ptr<std::byte[]>> unused;  // freed without the lock
  const MutexLock lock(mutex_);
  if (steady_ns - since_ns_ < kNeededNs) return;
  for (; least_ > 0; --least_) {
    unused.push_back(std::move(free_.back()));
    free_.pop_back();
  }
  least_ = free_.size();
  since_ns_ = steady_ns;
}

std::size_t SlabPool::kept() const {
  const MutexLock lock(mutex_);
  return free_.size();
}

}  // namespace varve::engine::rocksdb
