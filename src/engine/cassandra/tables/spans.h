// SPDX-License-Identifier: Apache-2.0
// Spans: the stretches of time that rows and partitions stand for (docs/decisions/0015). All begin at a multiple of
// their width since 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "model/time.h"

namespace varve::engine::cassandra {

inline constexpr std::int64_t kSlotsPerEra = 168;    // a week of hours
inline constexpr std::int64_t kWindowsPerUnit = 48;  // at least
inline constexpr std::int64_t kUnitsPerEra = 42;
inline constexpr std::int64_t kPeriodMs = 7 * 86'400'000LL;  // of the index
inline constexpr unsigned kSeriesPerPart = 32;
constexpr unsigned parts_of(std::size_t columns) {
  return static_cast<unsigned>((columns + kSeriesPerPart - 1) / kSeriesPerPart);
}

// A partition of sealed rows.
constexpr std::int64_t era_ms(std::int64_t slot_width_ms) { return kSlotsPerEra * slot_width_ms; }

// A row of windows: the shortest multiple of the slot, of the granularity and of the next finer one's unit that has
// windows enough to be worth a row. So each lies in one coarser unit, whose lives are the sum of its.
constexpr std::int64_t unit_ms(std::int64_t granularity_ms, std::int64_t slot_width_ms,
                               std::int64_t finer_unit_ms = 1) {
  const std::int64_t least = std::lcm(std::lcm(granularity_ms, slot_width_ms), finer_unit_ms);
  const std::int64_t wanted = granularity_ms * kWindowsPerUnit;
  return (wanted + least - 1) / least * least;
}

// Of each granularity, which ascend.
constexpr std::vector<std::int64_t> units_ms(std::span<const std::int64_t> granularities_ms,
                                             std::int64_t slot_width_ms) {
  std::vector<std::int64_t> units;
  for (const std::int64_t width : granularities_ms) {
    units.push_back(unit_ms(width, slot_width_ms, units.empty() ? 1 : units.back()));
  }
  return units;
}

// A partition of such rows.
constexpr std::int64_t unit_era_ms(std::int64_t unit_ms) { return kUnitsPerEra * unit_ms; }

inline model::Timestamp period_of(model::Timestamp time) { return model::window_start(time, kPeriodMs); }

}  // namespace varve::engine::cassandra
