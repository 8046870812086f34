// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"

namespace varve::engine::rocksdb {

// Recycles the memory of dropped heads, because page faults on fresh memory are expensive. Thread-safe.
class SlabPool {
 public:
  static constexpr std::size_t kSlabBytes = std::size_t{1} << 20;
  explicit SlabPool(std::size_t keep_max) : keep_max_(keep_max) {}
  std::unique_ptr<std::byte[]> take();
  void give(std::unique_ptr<std::byte[]> slab);
  // Frees what nobody has needed for a while. To be called now and then.
  void shrink(std::int64_t steady_ns);
  [[nodiscard]] std::size_t kept() const;

 private:
  static constexpr std::int64_t kNeededNs = 20'000'000'000;

  const std::size_t keep_max_;
  mutable Mutex mutex_;
  std::size_t least_ VARVE_GUARDED_BY(mutex_) = 0;  // of free_, since then
  std::int64_t since_ns_ VARVE_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<std::byte[]>> free_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::engine::rocksdb
