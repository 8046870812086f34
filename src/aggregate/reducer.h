// SPDX-License-Identifier: Apache-2.0
// Reducer: many numbers into one, by OpenTSDB's names: the values that several series have at one time, or the samples
// of one window where cells cannot stand for them (deviation, percentiles).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace varve::aggregate {

enum class Reducer : std::uint8_t {
  none,  // no reduction: each series stays by itself
  sum,
  avg,
  min,
  max,
  dev,  // of the population
  count,
  mult,
  first,
  last,
  median,  // the upper one of two in the middle
  zimsum,  // sum, min, max of the samples that are there, without lines between them
  mimmin,
  mimmax,
  p50,  // percentiles as most statistics packages estimate them: position p (n + 1)
  p75,
  p90,
  p95,
  p99,
  p999,
  ep50r3,  // position p n, rounded to the nearest sample
  ep75r3,
  ep90r3,
  ep95r3,
  ep99r3,
  ep999r3,
  ep50r7,  // position p (n - 1) + 1, the spreadsheets' way
  ep75r7,
  ep90r7,
  ep95r7,
  ep99r7,
  ep999r7,
};

std::optional<Reducer> reducer_of(std::string_view name);

// All names, sorted.
std::vector<std::string_view> reducer_names();

// Does a series that has no sample at a time count there with the line between its neighbours? (Else not at all, which
// for sums, minima and maxima is OpenTSDB's "zero, greatest, least if missing".)
bool interpolates(Reducer reducer);

// `values`: at least one, no NaN; their order is changed by percentiles. Not for none.
double reduce(Reducer reducer, std::span<double> values);

// The value at a position counted from 1 in the order of the values; between two it is the line between them, and the
// ends stand for what is beyond them. `values` as above.
double at_position(std::span<double> values, double position);

// Of whole numbers; nothing where the result need not be one or does not fit.
std::optional<std::int64_t> reduce_longs(Reducer reducer, std::span<const std::int64_t> values);

}  // namespace varve::aggregate
