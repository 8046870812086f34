// SPDX-License-Identifier: Apache-2.0
// Split: assigns a sample to a group by its time or its value.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "aggregate/points.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

// Group number: intervals of `size` from the query's start, counted up to `count` and then from 0 again. Months are
// those of the calendar of UTC, whatever size.value; a year is 52 weeks.
struct TimeSplit {
  Sampling size;           // value > 0
  std::int64_t count = 1;  // > 0
};
// Group number: the value divided by `size`, both truncated towards 0. Values that are not numbers: −1.
struct ValueSplit {
  std::int64_t size = 1;  // > 0
};
// Bin number: the number of (ascending) bounds that the value has reached. Values that are not numbers: −1.
struct BinSplit {
  std::vector<double> bounds;  // not empty
};
using Split = std::variant<TimeSplit, ValueSplit, BinSplit>;

// One for each split.
using SplitKey = std::vector<std::int64_t>;

// For each sample its number in each split: sample i's are at [i × splits.size(), (i + 1) × splits.size()).
std::vector<std::int64_t> split_numbers(std::span<const Split> splits, model::Timestamp query_start, const Points& in);

struct Part {
  SplitKey key;
  Points points;
};

// The parts that have samples, in order of their first one; samples keep their order.
std::vector<Part> split(std::span<const Split> splits, model::Timestamp query_start, Points in);

}  // namespace varve::aggregate
