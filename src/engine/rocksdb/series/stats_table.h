// SPDX-License-Identifier: Apache-2.0
// StatsTable: what is known of each series over its life: first and last seen, points, types. In memory 25 bytes a
// series, in the database in pages of 1024 series (docs/formats/series-stats.md). It says what the runs hold: heads are
// added when asked.
//
// Pages are never changed, but replaced: a commit collects what it changes (StatsChanges) and makes new pages of it
// when it is written, which take their places when it is published. So a failed commit changes nothing, commits of
// different work may be prepared side by side, and a reader's copy stays as it is.
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
#include "engine/shared/gather.h"
#include "model/ids.h"
#include "model/time.h"
#include "storage/series_stats.h"

namespace varve::engine::rocksdb {

struct StatsPage {
  static constexpr std::uint32_t kSeries = 1024;
  std::array<model::Timestamp, kSeries> first{};  // of a series without points: 0
  std::array<model::Timestamp, kSeries> last{};
  std::array<std::uint64_t, kSeries> points{};
  std::array<std::uint8_t, kSeries> types{};
  bool operator==(const StatsPage&) const = default;
};

std::string encode_stats_page(const StatsPage& page);
// Foreign bytes are safe. Errors: corrupt, unsupported (another version).
Result<std::shared_ptr<const StatsPage>> decode_stats_page(std::string_view value);

using StatsPages = std::vector<std::pair<std::uint32_t, std::shared_ptr<const StatsPage>>>;  // with their numbers

// Copies are cheap, and stay as they are. The caller locks.
class StatsTable {
 public:
  [[nodiscard]] storage::SeriesStats of(model::SeriesId series) const;
  [[nodiscard]] const StatsPage* page(std::uint32_t number) const {
    return number < pages_.size() ? pages_[number].get() : nullptr;
  }
  void replace(const StatsPages& pages);
  [[nodiscard]] std::size_t memory_bytes() const { return pages_.size() * (sizeof(pages_[0]) + sizeof(StatsPage)); }

 private:
  std::vector<std::shared_ptr<const StatsPage>> pages_;  // nullptr: nothing known
};

// What one commit changes. One thread.
class StatsChanges {
 public:
  // A fragment that is new in the runs: the samples of a group, a column for each series.
  void add(std::span<const model::SeriesId> series, std::span<const model::Timestamp> times,
           std::span<const chunk::Column> columns);
  // What was gathered from chunks is written again in their place: what was overwritten or erased is taken off. All
  // columns of the group were gathered.
  void rewritten(std::span<const model::SeriesId> series, const shared::Gather& gathered);
  // Some points are gone; where none is left, nothing is known any more.
  void subtract(model::SeriesId series, std::uint64_t points);
  // All are gone, also those that retention has dropped.
  void forget(model::SeriesId series);

  [[nodiscard]] bool empty() const { return pages_.empty(); }
  // The pages that change, for Database::Commit::stats.
  [[nodiscard]] StatsPages apply(const StatsTable& stats) const;

 private:
  struct Change {
    model::Timestamp first = 0;  // of what was added
    model::Timestamp last = 0;
    std::uint64_t added = 0;
    std::uint64_t lost = 0;
    std::uint8_t types = 0;
    bool forgotten = false;
  };
  using Page = std::array<Change, StatsPage::kSeries>;

  Change& change_of(model::SeriesId series);
  static void apply(const Change& change, StatsPage& page, std::size_t i);

  std::vector<std::unique_ptr<Page>> pages_;  // nullptr: not changed
};

}  // namespace varve::engine::rocksdb
