// SPDX-License-Identifier: Apache-2.0
// Window: the summary that a rollup stores of the samples of one series in [start, start + granularity).
//
// Gauges have count, sum, min and max (avg is sum / count); delta counters count and sum; texts (all types that are not
// numbers) count, the last value and a merged histogram (texts.h). NaN and infinities are ignored. Windows can be
// combined in any order, so coarser windows are made of finer ones, and late samples can be added to a window whose
// samples are gone.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/time.h"
#include "rollup/texts.h"

namespace varve::rollup {

// On disk: DO NOT CHANGE THE NUMBERS.
enum class Kind : std::uint8_t {
  gauge = 0,    // count, sum, min, max
  counter = 1,  // count, sum
  text = 2      // count, last, histograms; of whatever is no number
};

// Unknown extremes: those of a delta counter's window. There is no other reason for NaN in a window.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Window {
  model::Timestamp start = 0;
  model::Timestamp first_time = 0;  // of the first sample in it
  model::Timestamp last_time = 0;   // of the last sample
  std::uint64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  // Owned by a PartPool.
  const TextPart* text = nullptr;        // of texts
  const CounterPart* counter = nullptr;  // of the numbers of a counter
};
static_assert(sizeof(Window) == 72, "numbers are folded by the million");

// Windows of one series and kind at one granularity, ascending. A window with count 0 is empty: it overrides an older
// window whose samples were deleted. Its other fields have no meaning, and its parts may be nullptr.
using Windows = std::vector<Window>;

// New parts are allocated in `parts`, here and below; windows of gauges do not need it.
// Adds `from` to `into`; both are of the same window. A field that is unknown in one is unknown in the result. An empty
// window adds nothing.
void combine(Window& into, const Window& from, PartPool& parts);

// Combines windows to windows of `width_ms`, a multiple of their granularity, and appends them to `out`, which must be
// empty or end before them. A window is empty if all finer ones in it are.
void coarsen(const Windows& finer, std::int64_t width_ms, Windows& out, PartPool& parts);

// Copies the parts of a window, so that they are there as long as `parts`.
void own_parts(Window& window, PartPool& parts);

// Merges two ascending lists; windows that are in both are combined.
Windows merged(const Windows& a, const Windows& b, PartPool& parts);

}  // namespace varve::rollup
