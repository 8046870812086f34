// SPDX-License-Identifier: Apache-2.0
// StatsPage: the stats of 1024 series whose numbers follow each other, packed: a few bytes a series where they are
// written together. In the database: docs/formats/series-stats.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/rocksdb/series/packed_rows.h"
#include "storage/series_stats.h"

namespace varve::engine::rocksdb {

// Immutable.
class StatsPage {
 public:
  static constexpr std::uint32_t kSeries = 1024;
  using Rows = std::array<storage::SeriesStats, kSeries>;

  StatsPage() = default;  // no series has points
  explicit StatsPage(const Rows& rows);

  // Of a series without points: all 0.
  [[nodiscard]] storage::SeriesStats operator[](std::size_t i) const;
  [[nodiscard]] Rows rows() const;
  // Has each of its series points, and none of them one in the range? False if some have no points: what is not known
  // may be anywhere.
  [[nodiscard]] bool is_beside(model::TimeRange range) const { return is_full_ && !all_.seen_in(range); }
  // Of all its series together.
  [[nodiscard]] const storage::SeriesStats& all() const { return all_; }
  [[nodiscard]] std::size_t memory_bytes() const { return packed_.memory_bytes(); }

 private:
  PackedRows<4> packed_;  // first, last − first, points, types
  storage::SeriesStats all_;
  bool is_full_ = false;
};

using StatsPages = std::vector<std::pair<std::uint32_t, std::shared_ptr<const StatsPage>>>;  // (number, page)

std::string encode_stats_page(const StatsPage& page);
// Safe for untrusted bytes. Errors: corrupt, unsupported (another version).
Result<std::shared_ptr<const StatsPage>> decode_stats_page(std::string_view value);

}  // namespace varve::engine::rocksdb
