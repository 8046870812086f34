// SPDX-License-Identifier: Apache-2.0
// StatsTable: the stats of each series: first and last sample, points, types. 25 bytes a series in memory, pages of
// 1024 series in the database (docs/formats/series-stats.md). It covers the runs; queries add the heads.
//
// Pages are immutable: a commit collects its changes (StatsChanges), makes new pages when it is written, and installs
// them when it is published. So a failed commit changes nothing, several jobs may prepare commits at the same time, and
// a reader's copy does not change.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "chunk/block.h"
#include "engine/rocksdb/series/metric_sums.h"
#include "engine/shared/gather.h"
#include "model/ids.h"
#include "model/time.h"
#include "storage/series_stats.h"

namespace varve::engine::rocksdb {

struct StatsPage {
  static constexpr std::uint32_t kSeries = 1024;
  std::array<model::Timestamp, kSeries> first{};  // 0 for a series without points
  std::array<model::Timestamp, kSeries> last{};
  std::array<std::uint64_t, kSeries> points{};
  std::array<std::uint8_t, kSeries> types{};
  bool operator==(const StatsPage&) const = default;
};

std::string encode_stats_page(const StatsPage& page);
// Safe for untrusted bytes. Errors: corrupt, unsupported (another version).
Result<std::shared_ptr<const StatsPage>> decode_stats_page(std::string_view value);

using StatsPages = std::vector<std::pair<std::uint32_t, std::shared_ptr<const StatsPage>>>;  // (number, page)

// Copy-on-write: copies are cheap and independent. Not thread-safe.
class StatsTable {
 public:
  [[nodiscard]] storage::SeriesStats of(model::SeriesId series) const;
  [[nodiscard]] const StatsPage* page(std::uint32_t number) const {
    return number < pages_.size() ? pages_[number].get() : nullptr;
  }
  [[nodiscard]] std::uint32_t page_count() const { return static_cast<std::uint32_t>(pages_.size()); }
  // By metric, of a page that there is; shared by all copies of the table that have the page.
  [[nodiscard]] PageSums& sums(std::uint32_t number) const { return *sums_[number]; }
  void replace(const StatsPages& pages);
  [[nodiscard]] std::size_t memory_bytes() const {
    return pages_.size() * (sizeof(pages_[0]) + sizeof(StatsPage) + sizeof(sums_[0]) + sizeof(PageSums));
  }

 private:
  std::vector<std::shared_ptr<const StatsPage>> pages_;  // nullptr: no stats
  std::vector<std::shared_ptr<PageSums>> sums_;          // of each page
};

// The changes of one commit. For one thread.
class StatsChanges {
 public:
  // Adds a fragment that is new in the runs: the samples of a group, one column for each series.
  void add(std::span<const model::SeriesId> series, std::span<const model::Timestamp> times,
           std::span<const chunk::Column> columns);
  // Chunks are replaced by what was gathered from them: subtracts samples that were overwritten or erased. All columns
  // of the group must have been gathered.
  void rewritten(std::span<const model::SeriesId> series, const shared::Gather& gathered);
  // Removes points; a series without points loses its stats.
  void subtract(model::SeriesId series, std::uint64_t points);
  // Removes the stats of the series, including points that retention has dropped.
  void forget(model::SeriesId series);

  [[nodiscard]] bool empty() const { return pages_.empty(); }
  // The changed pages, for Database::Commit::stats.
  [[nodiscard]] StatsPages apply(const StatsTable& stats) const;

 private:
  struct Change {
    model::Timestamp first = 0;  // of the added points
    model::Timestamp last = 0;
    std::uint64_t added = 0;
    std::uint64_t lost = 0;
    std::uint8_t types = 0;
    bool forgotten = false;
  };
  using Page = std::array<Change, StatsPage::kSeries>;

  Change& change_of(model::SeriesId series);
  static void apply(const Change& change, StatsPage& page, std::size_t i);

  std::vector<std::unique_ptr<Page>> pages_;  // nullptr: unchanged
};

}  // namespace varve::engine::rocksdb
