// SPDX-License-Identifier: Apache-2.0
// Cells: the partial result of a stage for each window. Every function here can be combined from parts in any order, so
// pieces of many series are reduced independently, by many threads, without merging or sorting samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"
#include "aggregate/windows.h"

namespace varve::aggregate {

struct Cell {
  std::int64_t window = 0;
  model::Timestamp time = 0;  // of the first sample; for `last` of the last
  std::uint64_t count = 0;
  union {
    double value = 0;    // avg, sum: the sum; min, max; dev: the mean
    std::uint64_t bits;  // first, last
  };
  // Sums are compensated (they keep what rounding dropped), so that the answer does not depend on the order of threads;
  // dev: the sum of squares around the mean.
  double rest = 0;
  model::ValueType type = model::ValueType::double_;  // first, last
};

// A column of numbers of one type; times ascend, equal ones in order of value.
struct Column {
  model::ValueType type = model::ValueType::long_;
  std::span<const model::Timestamp> times;
  std::span<const std::uint64_t> bits;
};

// Statistics of groups of samples, known without reading them. Each group lies in one window; ascending.
struct Summaries {
  std::span<const model::Timestamp>
      times;  // of the first sample of each; any in the same window if that does not matter
  std::span<const std::uint64_t> counts;
  std::span<const std::uint64_t> values;  // doubles: the sums for avg and sum; min or max; of no meaning for count
};
constexpr bool takes_summary(Function f) { return f != Function::first && f != Function::last && f != Function::dev; }

// Appends the column's cells to `out`, ascending by window.
void reduce(Function f, const Windows& windows, const Column& column, std::vector<Cell>& out);

// The points of finished cells, which ascend by window.
Result<Points> to_points(const Stage& stage, const Windows& windows, std::span<const Cell> cells,
                         const Charge& charge = {});

}  // namespace varve::aggregate
