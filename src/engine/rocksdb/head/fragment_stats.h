// SPDX-License-Identifier: Apache-2.0
// FragmentStats: the stats of series of which samples are in a head.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/rocksdb/head/head.h"
#include "model/time.h"
#include "storage/series_stats.h"

namespace varve::engine::rocksdb {

// A group in one slot of a head.
struct HeadFragment {
  std::uint32_t group = 0;
  std::optional<storage::SeriesStats> known = {};  // of each of its series
  Head::Pieces rows = {};                          // where that is not known
};

inline constexpr std::size_t kGroupsUnderLock = 128;  // appends wait while their fragments are listed

// Appends those of a group. What ascends, as what is measured does, need not be read: the head counts it.
void list_fragments(const Head& head, std::uint32_t group, std::vector<HeadFragment>& out) VARVE_REQUIRES(head.mutex);

// For one thread.
class FragmentStats {
 public:
  // Counts the columns of the fragment. Then, by position in `columns`:
  void count(const HeadFragment& fragment, std::span<const std::uint16_t> columns);
  [[nodiscard]] storage::SeriesStats of(std::size_t column) const {
    if (all_.points == 0) return {};
    storage::SeriesStats out = all_;
    out.types |= types_[column];
    return out;
  }

 private:
  void read(std::span<const std::byte> rows, std::span<const std::uint16_t> columns);
  void take_markers_away();

  // A row that was read, in the order of writing.
  struct Written {
    model::Timestamp time;
    bool is_marker;
  };
  std::vector<model::Timestamp> times_;
  std::vector<Written> written_;     // all rows, if there are markers
  storage::SeriesStats all_;         // with the types of rows in which all values have one
  std::vector<std::uint8_t> types_;  // of each column
};

}  // namespace varve::engine::rocksdb
