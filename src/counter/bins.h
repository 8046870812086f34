// SPDX-License-Identifier: Apache-2.0
// Bins: the increase of a counter in equal stretches of time, counted from 1970.
//
// An interval of increase d from t0 to t0 + dt gives a stretch [a, b) of it
//   floor(d * (b - t0) / dt) - floor(d * (a - t0) / dt)
// in 128 bits: never negative, and stretches that lie side by side have exactly the sum of what they are together,
// whatever their lengths. Real values are split in proportion.
#pragma once

#include <limits>
#include <vector>

#include "counter/interval.h"

namespace varve::counter {

template <Increase I>
struct Bin {
  model::Timestamp start = 0;
  I increase{};
  std::int64_t covered_ms = 0;  // of intervals that count; never 0

  bool operator==(const Bin&) const = default;
};

// Ascending; bins that nothing covers are left out.
template <Increase I>
using Bins = std::vector<Bin<I>>;

namespace detail {

__extension__ using Wide = unsigned __int128;

// Until a time of the interval.
inline std::uint64_t grown_until(const Interval<std::uint64_t>& interval, model::Timestamp time) {
  // Most are cut at one time only.
  if (time == interval.begin) return 0;
  if (time == interval.end) return interval.increase;
  const auto passed = static_cast<std::uint64_t>(time - interval.begin);
  const auto length = static_cast<std::uint64_t>(interval.end - interval.begin);
  // Whole numbers below 2^53 are exact as doubles, and the quotient of two is not rounded up to a whole one. A division
  // in 128 bits takes ten times as long.
  const double product = static_cast<double>(interval.increase) * static_cast<double>(passed);
  if (product < 0x1p53) return static_cast<std::uint64_t>(product / static_cast<double>(length));
  return static_cast<std::uint64_t>(Wide{interval.increase} * passed / length);
}

inline double grown_until(const Interval<double>& interval, model::Timestamp time) {
  // The end exactly, whatever rounding says.
  if (time == interval.end) return interval.increase;
  return interval.increase *
         (static_cast<double>(time - interval.begin) / static_cast<double>(interval.end - interval.begin));
}

}  // namespace detail

// What of the interval is from `from` until `to`, which lie in it.
template <Increase I>
I share_of(const Interval<I>& interval, model::Timestamp from, model::Timestamp to) {
  check(interval.begin <= from && from <= to && to <= interval.end, "a stretch of the interval");
  return detail::grown_until(interval, to) - detail::grown_until(interval, from);
}

// Adds an interval that begins where the last one in `bins` ended, or later. Bins are `width_ms` wide.
template <Increase I>
void add_to_bins(const Interval<I>& interval, std::int64_t width_ms, Bins<I>& bins);

// Adds increases; whole ones stay at their greatest value instead of beginning anew.
inline std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}
inline double sum_of(double a, double b) { return a + b; }

// Per second of the covered time.
template <Increase I>
double rate_of(I increase, std::int64_t covered_ms) {
  return static_cast<double>(increase) * 1000 / static_cast<double>(covered_ms);
}

}  // namespace varve::counter
