// SPDX-License-Identifier: Apache-2.0
// StatsTable: the stats of each series: first and last sample, points, types, in pages (stats_page.h). It covers the
// runs; queries add the heads.
//
// Pages are immutable: a commit collects its changes (stats_changes.h), makes new pages when it is written, and
// installs them when it is published. So a failed commit changes nothing, several jobs may prepare commits at the same
// time, and a reader's copy does not change.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/rocksdb/series/metric_sums.h"
#include "engine/rocksdb/series/stats_page.h"
#include "model/ids.h"

namespace varve::engine::rocksdb {

// Copy-on-write: copies are cheap and independent. Not thread-safe.
class StatsTable {
 public:
  [[nodiscard]] storage::SeriesStats of(model::SeriesId series) const {
    const StatsPage* const known = page(model::to_int(series) / StatsPage::kSeries);
    return known == nullptr ? storage::SeriesStats{} : (*known)[model::to_int(series) % StatsPage::kSeries];
  }
  [[nodiscard]] const StatsPage* page(std::uint32_t number) const {
    return number < pages_.size() ? pages_[number].get() : nullptr;
  }
  [[nodiscard]] std::uint32_t page_count() const { return static_cast<std::uint32_t>(pages_.size()); }
  // By metric, of a page that there is; shared by all copies of the table that have the page.
  [[nodiscard]] PageSums& sums(std::uint32_t number) const { return *sums_[number]; }
  void replace(const StatsPages& pages);
  [[nodiscard]] std::size_t memory_bytes() const {
    return page_bytes_ + pages_.size() * (sizeof(pages_[0]) + sizeof(sums_[0]) + sizeof(PageSums));
  }

 private:
  std::vector<std::shared_ptr<const StatsPage>> pages_;  // nullptr: no stats
  std::vector<std::shared_ptr<PageSums>> sums_;          // of each page
  std::size_t page_bytes_ = 0;
};

}  // namespace varve::engine::rocksdb
