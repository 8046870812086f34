// SPDX-License-Identifier: Apache-2.0
// Columns: windows of one series as the columns of a chunk. docs/formats/rollup.md.
//
//   times                    starts of the windows
//   column 0, all kinds      count, long
//   column 1, all kinds      first time − start, long
//   column 2, gauge, counter sum, double;  text: the last value, of its type
//   column 3, 4, gauge       min, max, doubles
//   columns 5 to 13 or 14, gauge, in chunks with a counter: counter_columns.h
//   columns 3, 4, 5, text, in chunks with a histogram:
//     histograms among the samples, long, negative where their merge is not exact; first histogram's time − start,
//     long; the merge, of type histogram, empty where there is none
//
// The time of the last sample is not stored: a reader uses the window's end.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "rollup/counter_columns.h"
#include "rollup/window.h"

namespace varve::rollup {

// Of numbers; those of a delta counter then have extremes, too, which are unknown.
inline constexpr std::size_t kCountersFrom = 5;
inline constexpr std::size_t kColumnsMax = kCountersFrom + kCounterColumnsMax;
inline constexpr std::size_t kColumnsWithHistograms = 6;  // of texts
constexpr std::size_t columns_of(Kind kind) { return kind == Kind::gauge ? 5 : 3; }
constexpr bool has_counters(std::size_t columns) {
  return columns == kCountersFrom + kCounterColumns || columns == kCountersFrom + kCounterColumnsMax;
}
// Of a chunk of numbers: have they extremes, or places for them?
constexpr bool has_extremes(std::size_t columns) { return columns == columns_of(Kind::gauge) || has_counters(columns); }
static_assert(columns_of(Kind::gauge) == kCountersFrom, "a counter's columns follow those of a gauge");
static_assert(columns_of(Kind::gauge) != kColumnsWithHistograms && columns_of(Kind::gauge) != columns_of(Kind::text),
              "readers tell kinds by the number of columns");

// Numbers and texts of a series are rolled up separately, as two groups.
constexpr std::uint32_t number_group(model::SeriesId series) { return model::to_int(series) * 2; }
constexpr std::uint32_t text_group(model::SeriesId series) { return model::to_int(series) * 2 + 1; }

// Windows of one kind, as columns. Reusable.
struct Columns {
  std::vector<model::Timestamp> starts;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint64_t> sums, mins, maxs;  // bits of doubles
  std::vector<std::string_view> lasts;
  std::vector<model::ValueType> last_types;
  std::vector<std::int64_t> histograms, histogram_offsets;
  std::vector<std::string_view> merged;
  bool has_histograms = false;

  void clear();
  void add(Kind kind, std::span<const Window> windows);
  // Some of another's windows, which are of the same kind.
  void add(const Columns& from, std::size_t first, std::size_t count);
  // Unknown extremes, of a delta counter in a chunk that has places for them.
  void fill_extremes();

 private:
  void set_text(std::size_t at, const Window& window);
};

}  // namespace varve::rollup
