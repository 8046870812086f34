// SPDX-License-Identifier: Apache-2.0
// What is known of a series by the cells of one column.
#pragma once

#include <span>

#include "engine/shared/cells.h"

namespace varve::engine::cassandra {

// `times` ascend.
inline storage::SeriesStats stats_of(std::span<const model::Timestamp> times, const chunk::Column& column) {
  storage::SeriesStats stats;
  stats.points = shared::cells_in(column, times.size());
  if (stats.points == 0) return {};
  const auto has_value = [&](std::size_t row) {
    return column.form != chunk::Column::Form::typed || column.types[row] != chunk::kErased;
  };
  std::size_t first = 0;
  while (!has_value(first)) ++first;
  std::size_t last = times.size() - 1;
  while (!has_value(last)) --last;
  stats.first_ms = times[first];
  stats.last_ms = times[last];
  stats.types = shared::types_in(column);
  return stats;
}

}  // namespace varve::engine::cassandra
