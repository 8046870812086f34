// SPDX-License-Identifier: Apache-2.0
// Columns: windows of one series as the columns of a chunk, and back. A rollup is stored as what it is: a few columns
// of regular times. docs/formats/rollup.md.
//
//   times                    starts of the windows
//   column 0, all kinds      count, long
//   column 1, all kinds      first time − start, long
//   column 2, gauge, counter sum, double;  text: the last value, of its type
//   column 3, 4, gauge       min, max, doubles
//
// The time of the last sample is not kept: a reader takes the window's end.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "rollup/window.h"

namespace varve::rollup {

inline constexpr std::size_t kColumnsMax = 5;
constexpr std::size_t columns_of(Kind kind) { return kind == Kind::gauge ? 5 : 3; }

// Numbers and texts of one series are rolled up apart, under two numbers of their own.
constexpr std::uint32_t number_group(model::SeriesId series) { return model::to_int(series) * 2; }
constexpr std::uint32_t text_group(model::SeriesId series) { return model::to_int(series) * 2 + 1; }

// Windows of one kind laid out column by column. Reusable.
struct Columns {
  std::vector<model::Timestamp> starts;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint64_t> sums, mins, maxs;  // bits of doubles
  std::vector<std::string_view> lasts;
  std::vector<model::ValueType> last_types;

  void clear();
  void add(Kind kind, std::span<const Window> windows);
};

}  // namespace varve::rollup
