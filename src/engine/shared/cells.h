// SPDX-License-Identifier: Apache-2.0
// Cells: counts and types of the cells of a column.
#pragma once

#include <algorithm>
#include <cstdint>

#include "chunk/block.h"
#include "storage/series_stats.h"

namespace varve::engine::shared {

// The number of cells with a value in a column of `rows` rows.
inline std::uint64_t cells_in(const chunk::Column& column, std::size_t rows) {
  if (column.form != chunk::Column::Form::typed) return rows;
  return rows - static_cast<std::size_t>(std::ranges::count(column.types, chunk::kErased));
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
    if (type != chunk::kErased) bits |= SeriesStats::bit_of(type);
  }
  return bits;
}

}  // namespace varve::engine::shared
