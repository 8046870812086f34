// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/series/stats_table.h"

namespace varve::engine::rocksdb {

void StatsTable::replace(const StatsPages& pages) {
  for (const auto& [number, page] : pages) {
    if (number >= pages_.size()) {
      pages_.resize(number + 1);
      sums_.resize(number + 1);
    }
    if (pages_[number] != nullptr) page_bytes_ -= pages_[number]->memory_bytes();
    pages_[number] = page;
    page_bytes_ += page->memory_bytes();
    sums_[number] = std::make_shared<PageSums>();
  }
}

}  // namespace varve::engine::rocksdb
