// SPDX-License-Identifier: Apache-2.0
// Counters: samples of a counter → parts of windows that say how it grew in them; and how these combine.
#pragma once

#include <cstdint>
#include <span>

#include "counter/declared.h"
#include "rollup/counter_part.h"
#include "rollup/fold.h"
#include "rollup/window.h"

namespace varve::rollup {

// Adds the part of another window, or of another part of the same window, in any order. nullptr: it has samples, but
// its part was not made.
void combine(CounterPart& into, const CounterPart* from);

// Samples of a counter in time order.
struct CounterSamples {
  std::span<const model::Timestamp> times;
  // Whole: the bits of longs. Else of doubles, of which those that are not finite are not there.
  std::span<const std::uint64_t> bits;
  bool whole = true;
};

// Adds their parts to the windows that fold() made of the same samples. Parts are allocated in `parts`.
void add_counters(const CounterSamples& samples, const counter::Declaration& declared, std::span<const Cut> cuts,
                  Windows& windows, PartPool& parts);

}  // namespace varve::rollup
