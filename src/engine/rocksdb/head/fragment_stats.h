// SPDX-License-Identifier: Apache-2.0
// FragmentStats: the stats of series of which samples are in a head.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/rocksdb/head/head.h"
#include "model/time.h"
#include "storage/series_stats.h"

namespace varve::engine::rocksdb {

// A group in one slot of a head.
struct HeadFragment {
  std::uint32_t group;
  Head::Pieces rows;
};

inline constexpr std::size_t kGroupsUnderLock = 128;  // appends wait while their fragments are listed

// Appends those of a group.
void list_fragments(const Head& head, std::uint32_t group, std::vector<HeadFragment>& out) VARVE_REQUIRES(head.mutex);

// For one thread.
class FragmentStats {
 public:
  // Counts the columns of the fragment. Then, by position in `columns`:
  void count(const HeadFragment& fragment, std::span<const std::uint16_t> columns);
  [[nodiscard]] storage::SeriesStats of(std::size_t column) const {
    const auto types = static_cast<std::uint8_t>(uniform_ | types_[column]);
    return {times_.front(), times_.back(), times_.size(), types};
  }

 private:
  void read(std::span<const std::byte> rows, std::span<const std::uint16_t> columns);

  std::vector<model::Timestamp> times_;
  unsigned uniform_ = 0;             // types of rows in which all values have one
  std::vector<std::uint8_t> types_;  // of each column
};

}  // namespace varve::engine::rocksdb
