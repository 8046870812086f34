// SPDX-License-Identifier: Apache-2.0
// Bins: the increase of a counter in equal stretches of time, counted from 1970.
//
// An interval of increase d from t0 to t0 + dt gives a stretch [a, b) of it
//   floor(d * (b - t0) / dt) - floor(d * (a - t0) / dt)
// in 128 bits: never negative, and stretches that lie side by side have exactly the sum of what they are together,
// whatever their lengths. Real values are split in proportion.
#pragma once

#include <vector>

#include "counter/interval.h"

namespace varve::counter {

template <Increase I>
struct Bin {
  model::Timestamp start = 0;
  I increase{};
  std::int64_t covered_ms = 0;  // of intervals that count; never 0
};

// Ascending; bins that nothing covers are left out.
template <Increase I>
using Bins = std::vector<Bin<I>>;

// What of the interval is from `from` until `to`, which lie in it.
template <Increase I>
I share_of(const Interval<I>& interval, model::Timestamp from, model::Timestamp to);

// Adds an interval that begins where the last one in `bins` ended, or later. Bins are `width_ms` wide.
template <Increase I>
void add_to_bins(const Interval<I>& interval, std::int64_t width_ms, Bins<I>& bins);

// Adds increases; whole ones stay at their greatest value instead of beginning anew.
std::uint64_t sum_of(std::uint64_t a, std::uint64_t b);
double sum_of(double a, double b);

// Per second of the covered time.
template <Increase I>
double rate_of(I increase, std::int64_t covered_ms) {
  return static_cast<double>(increase) * 1000 / static_cast<double>(covered_ms);
}

}  // namespace varve::counter
