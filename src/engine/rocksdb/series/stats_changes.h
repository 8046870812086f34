// SPDX-License-Identifier: Apache-2.0
// StatsChanges: what one commit changes in the stats of series.
//
// A commit may change those of all series, several times, and goes through them in order: the pages that it was in last
// are plain, all others packed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "chunk/block.h"
#include "engine/rocksdb/series/packed_rows.h"
#include "engine/rocksdb/series/stats_table.h"
#include "engine/shared/gather.h"
#include "model/ids.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// For one thread.
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

  [[nodiscard]] bool empty() const;
  // The changed pages, for Database::Commit::stats.
  [[nodiscard]] StatsPages apply(const StatsTable& stats);

 private:
  struct Change {
    storage::SeriesStats added;
    std::uint64_t lost = 0;
    bool forgotten = false;
  };
  using Page = std::array<Change, StatsPage::kSeries>;
  using Packed = PackedRows<6>;
  struct Open {
    std::uint32_t number = 0;
    std::unique_ptr<Page> page;  // nullptr: none
  };
  static constexpr std::size_t kOpen = 8;

  static Packed pack(const Page& page);
  static void unpack(const Packed& packed, Page& page);
  static void apply(const Change& change, storage::SeriesStats& stats);
  Change& change_of(model::SeriesId series);
  void close(Open& open);

  std::array<Open, kOpen> open_;            // page n in place n % kOpen
  std::map<std::uint32_t, Packed> packed_;  // the other pages, by number
};

}  // namespace varve::engine::rocksdb
