// SPDX-License-Identifier: Apache-2.0
// HeadSums: what is in the heads, by metric. Kept for each page of groups until something is appended to it, so that
// under ingestion a question costs what has changed. Thread-safe.
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
  // Adds all that was in the head when it was asked for.
  void add_to(MetricAdder& out, const std::shared_ptr<const Head>& head, const Catalog& catalog) VARVE_EXCLUDES(mutex_);

 private:
  // Of a page of groups (Head::kPageGroups).
  struct Page {
    std::uint64_t rows = 0;  // that it had when it was added up; later ones may be among the sums
    std::vector<MetricSum> sums;
  };
  using Pages = std::vector<std::shared_ptr<const Page>>;  // by number; nullptr: none is known
  struct Known {
    std::weak_ptr<const Head> head;  // it is not kept alive, but never taken for another
    Pages pages;
  };

  [[nodiscard]] Pages known(const std::shared_ptr<const Head>& head) VARVE_EXCLUDES(mutex_);
  void keep(const std::shared_ptr<const Head>& head, Pages pages) VARVE_EXCLUDES(mutex_);

  Mutex mutex_;
  std::array<Known, 2> known_ VARVE_GUARDED_BY(mutex_);  // of the head and the immutable one; last asked for first
};

}  // namespace varve::engine::rocksdb
