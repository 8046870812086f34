// SPDX-License-Identifier: Apache-2.0
// Cells: which cells of a column have a value, and what is known of a series by them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "chunk/block.h"
#include "model/time.h"
#include "storage/series_stats.h"

namespace varve::engine::shared {

// Erased ones and staleness markers have none.
constexpr bool has_value(model::ValueType type) {
  return type != chunk::kErased && type != model::ValueType::stale_marker;
}

inline bool has_value(const chunk::Column& column, std::size_t row) {
  return column.form != chunk::Column::Form::typed || has_value(column.types[row]);
}

// The number of cells with a value in a column of `rows` rows.
inline std::uint64_t cells_in(const chunk::Column& column, std::size_t rows) {
  if (column.form != chunk::Column::Form::typed) return rows;
  return static_cast<std::uint64_t>(
      std::ranges::count_if(column.types, [](model::ValueType type) { return has_value(type); }));
}

// The types in a column, as in storage::SeriesStats::types.
inline std::uint8_t types_in(const chunk::Column& column) {
  using storage::SeriesStats;
  switch (column.form) {
    case chunk::Column::Form::longs: return SeriesStats::bit_of(model::ValueType::long_);
    case chunk::Column::Form::decimals: return SeriesStats::bit_of(model::ValueType::double_);
    default: break;
  }
  std::uint8_t bits = 0;
  for (const auto type : column.types) {
    if (has_value(type)) bits |= SeriesStats::bit_of(type);
  }
  return bits;
}

// `times` ascend.
inline storage::SeriesStats stats_of(std::span<const model::Timestamp> times, const chunk::Column& column) {
  storage::SeriesStats stats;
  stats.points = cells_in(column, times.size());
  if (stats.points == 0) return {};
  std::size_t first = 0;
  while (!has_value(column, first)) ++first;
  std::size_t last = times.size() - 1;
  while (!has_value(column, last)) --last;
  stats.first_ms = times[first];
  stats.last_ms = times[last];
  stats.types = types_in(column);
  return stats;
}

}  // namespace varve::engine::shared
