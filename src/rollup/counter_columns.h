// SPDX-License-Identifier: Apache-2.0
// Counter columns: the parts of windows that say how a counter grew, as columns of a chunk behind those of its numbers.
// docs/formats/rollup.md.
//
//   0  rule: base width, fall, sign, long; 0: the window has no such part
//   1  the first value, of its type (as are 3, 4, 5, 7 and 8)
//   2  last sample's time − start, long
//   3  longs: the last value − the first one; doubles: the last value
//   4, 5  the increase in the least and in the greatest base bin
//   6  places of these bins, long
//   7, 8  the increase in the head and in the tail
//   9  what is irregular in the window, string; only in chunks that have any
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "counter/stretch.h"
#include "model/value.h"
#include "rollup/counters.h"

namespace varve::rollup {

inline constexpr std::size_t kCounterColumns = 9;  // without the irregular
inline constexpr std::size_t kCounterColumnsMax = 10;

// The part of a window as the cells of these columns, which are half as large. All 0: it has none.
struct PackedCounter {
  std::array<std::uint64_t, kCounterColumns> values = {};
  std::string_view irregular = {};
  model::ValueType type = model::ValueType::long_;  // of values that are not longs anyway
};
bool any_of_counter(std::span<const Window> windows);
// Appends one for each window. What is irregular is kept in `texts`.
void pack(std::span<const Window> windows, std::vector<PackedCounter>& out, PartPool& texts);

// To columns. Reusable, for one thread.
class CounterColumns {
 public:
  // Values are of the type of their row in types; others are longs.
  enum Column : std::uint8_t { rule, first, last_offset, last, least, greatest, places, head, tail };

  void clear();
  void add(std::span<const Window> windows);
  // The same of windows that were packed, whose texts must outlive this; or of so many that have no such part.
  void add(std::span<const PackedCounter> packed);
  void add_none(std::size_t count);
  [[nodiscard]] bool has_any() const { return has_any_; }  // of the windows added, has one a part?
  [[nodiscard]] bool has_irregular() const { return has_irregular_; }
  [[nodiscard]] bool all_whole() const { return all_whole_; }

  std::array<std::vector<std::uint64_t>, kCounterColumns> bits;
  std::vector<model::ValueType> types;      // of each window: long or double
  std::vector<std::string_view> irregular;  // of each window, if any has something irregular

 private:
  bool has_any_ = false, has_irregular_ = false, all_whole_ = true;
  std::vector<PackedCounter> packed_;
  PartPool texts_;  // of these
};

// Has this column longs, of whatever type the values are?
constexpr bool is_long(std::size_t column) {
  return column == CounterColumns::rule || column == CounterColumns::last_offset || column == CounterColumns::places;
}

// And back. One window's cells; `values`: columns 0 to 8.
struct CounterCells {
  model::Timestamp start = 0;
  model::Timestamp first_time = 0;  // of the window's numbers
  model::ValueType type = model::ValueType::long_;
  std::array<std::uint64_t, kCounterColumns> values = {};
  std::string_view irregular = {};
};
// Precondition: the rule is not 0. Error: corrupt.
Result<CounterPart> counter_part(const CounterCells& cells);

// What such parts say without their base bins.
struct CounterStretch {
  counter::Stretch stretch;
  bool is_there = false;  // else the window has no such part
  bool exact = true;      // as in CounterPart
};
inline constexpr std::array<CounterColumns::Column, 4> kStretchColumns = {
    CounterColumns::rule, CounterColumns::first, CounterColumns::last_offset, CounterColumns::last};

// A chunk's windows as columns, with those of kStretchColumns. All have the same length, or are empty where that is
// said.
struct StretchColumns {
  std::span<const model::Timestamp> starts;
  std::span<const std::uint64_t> first_offsets;  // of the window's numbers
  std::span<const std::uint64_t> rules, firsts, last_offsets, lasts;
  model::ValueType type = model::ValueType::long_;  // of all first values,
  std::span<const model::ValueType> types;          // unless it is here
  std::span<const std::string_view> irregular;      // may be empty
};
// Of each window, into `out` (cleared first); where the rule is 0 it is as made. Error: corrupt.
Status counter_stretches(const StretchColumns& columns, std::vector<CounterStretch>& out);

}  // namespace varve::rollup
