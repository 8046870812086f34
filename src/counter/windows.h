// SPDX-License-Identifier: Apache-2.0
// Window: what is known of a counter in [start, start + width).
//
// Base rates are those of bins of the counter's own frequency. A base bin counts in the window in which it starts, so a
// frequency need not divide any width; one that is covered for less than half of it does not count.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "counter/bins.h"

namespace varve::counter {

struct BaseRate {
  double per_second = 0;
  model::Timestamp at = 0;  // start of the bin

  bool operator==(const BaseRate&) const = default;
};

template <Increase I>
struct Window {
  model::Timestamp start = 0;
  I increase{};
  std::int64_t covered_ms = 0;  // 0: all that is known are base rates of bins that start in it
  // Of equal rates the earliest. Nothing: no base bin is covered enough.
  std::optional<BaseRate> least, greatest;

  bool operator==(const Window&) const = default;
};

template <Increase I>
using Windows = std::vector<Window<I>>;

// `intervals`: ascending, none overlaps another. Windows that nothing is known of are left out.
template <Increase I>
Windows<I> windows_of(std::span<const Interval<I>> intervals, std::int64_t base_ms, std::int64_t width_ms);

// The same of what is known of the windows themselves, and of base bins that are covered enough, by windows ascending.
template <Increase I>
Windows<I> windows_of(const Bins<I>& known, const Bins<I>& base, std::int64_t width_ms);

// Is a base bin covered enough for its rate to count?
template <Increase I>
bool is_covered_enough(const Bin<I>& bin, std::int64_t base_ms) {
  return bin.covered_ms > 0 && bin.covered_ms >= base_ms - bin.covered_ms;
}

// Adds what is known of another part of the same window.
template <Increase I>
void combine(Window<I>& into, const Window<I>& from);

// Windows of a multiple of the width, ascending, of ascending ones.
template <Increase I>
Windows<I> coarser(std::span<const Window<I>> finer, std::int64_t width_ms);

}  // namespace varve::counter
