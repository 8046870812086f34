// SPDX-License-Identifier: Apache-2.0
// HeadSums: what is in the heads, by metric; kept until something is appended. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/series/metric_sums.h"

namespace varve::engine::rocksdb {

class HeadSums {
 public:
  using Sums = std::shared_ptr<const std::vector<MetricSum>>;
  // Of all that was in the head when it was asked for.
  [[nodiscard]] Sums of(const std::shared_ptr<const Head>& head, const Catalog& catalog) VARVE_EXCLUDES(mutex_);

 private:
  struct Known {
    std::weak_ptr<const Head> head;  // it is not kept alive, but never taken for another
    std::uint64_t rows = 0;
    Sums sums;
  };

  Mutex mutex_;
  std::array<Known, 2> known_ VARVE_GUARDED_BY(mutex_);  // of the head and the immutable one; last asked for first
};

}  // namespace varve::engine::rocksdb
