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

// A position in the sorted order of numbers: how many of them are before it, and how far it is towards the next one.
struct Place {
  std::uint64_t below = 0;
  double part = 0;  // 0: there may be no next one
};
// Of a position from 1 among n ≥ 1; beyond the ends it is clamped.
Place place_of(double position, std::uint64_t n);

// The value at a place, interpolated linearly. `values` as above.
double at_place(std::span<double> values, Place place);
inline double at_position(std::span<double> values, double position) {
  return at_place(values, place_of(position, values.size()));
}

// The integer result for integers; nothing if the result may not be an integer or does not fit.
std::optional<std::int64_t> reduce_longs(Reducer reducer, std::span<const std::int64_t> values);

}  // namespace varve::aggregate
