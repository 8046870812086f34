// SPDX-License-Identifier: Apache-2.0
// Runs: samples of one series each as columns, and how they become one list. Only for queries that want samples
// themselves, or a part of them (limit); windows need no merging.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "aggregate/points.h"
#include "query/budget.h"

namespace varve::query {

struct Number {
  model::Timestamp time;
  std::uint64_t bits;
  model::ValueType type;
};
// By time, then by value.
bool operator<(const Number& a, const Number& b);

// A value that is no number, as in model::Value::text.
struct Text {
  model::Timestamp time;
  std::uint32_t series;
  std::string text;
};

// Numbers only, ascending by time once keep() was called.
using Run = aggregate::Points;

// What the columns take, or will take before they grow.
std::size_t bytes_of(const Run& run);

void append(Run& run, model::ValueType type, std::span<const model::Timestamp> times,
            std::span<const std::uint64_t> bits);

// The same; what the columns take more is charged. Error: limit, unavailable.
Status append_charged(Run& run, model::ValueType type, std::span<const model::Timestamp> times,
                      std::span<const std::uint64_t> bits, Budget& budget);

// Keeps the `limit` first samples (newest: last ones), in order. 0: all. Also of points that are no numbers.
void keep(aggregate::Points& points, std::uint64_t limit, bool newest);

// One ascending run of all; the parts ascend. One part is moved. Merges by pairs: each sample is moved log2(parts)
// times, in sequence.
Run merge(std::vector<Run> runs);
// The same of runs for which so many bytes are charged. Error: limit, unavailable.
Result<Run> merge_charged(std::vector<Run> runs, std::size_t charged, Budget& budget);

// The same of one series, and of its longs and its doubles apart, as KairosDB keeps them.
void keep_each_type(Run& run, std::uint64_t limit, bool newest);

// The same of each series of `texts`, in place, then sorted by time and text.
void keep(std::vector<Text>& texts, std::uint64_t limit, bool newest);

// `kind`: theirs, not number.
aggregate::Points to_points(model::ValueKind kind, std::vector<Text>&& texts);

}  // namespace varve::query
