// SPDX-License-Identifier: Apache-2.0
// Reducer: reduces many numbers to one, with OpenTSDB's names: the values of several series at one time, or the samples
// of one window for functions that cells cannot represent (deviation, percentiles).
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

// Is a series without a sample at some time interpolated there? (Otherwise it is ignored, which for sums, minima and
// maxima is OpenTSDB's "zero, max, min if missing".)
bool interpolates(Reducer reducer);

// `values`: at least one, no NaN; their order is changed by percentiles. Not for none.
double reduce(Reducer reducer, std::span<double> values);

// The value at a position (from 1) in sorted order, interpolated linearly; positions beyond the ends are clamped.
// `values` as above.
double at_position(std::span<double> values, double position);

// The integer result for integers; nothing if the result may not be an integer or does not fit.
std::optional<std::int64_t> reduce_longs(Reducer reducer, std::span<const std::int64_t> values);

}  // namespace varve::aggregate
