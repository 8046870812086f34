// SPDX-License-Identifier: Apache-2.0
// Window: what a rollup stores of the samples of one series in [start, start + granularity).
//
// Numbers have count, sum, min and max (avg is sum / count); delta counters only count and sum; texts (and what else is
// no number: complex numbers, histograms) count, the last one and the histograms among them as one (texts.h). NaN and
// infinities are no numbers here: a window has what the others make. Windows combine in any order, so a coarser one is
// made of finer ones, and late samples can be added where the raw ones are gone.
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

// Marks the unknown extremes of a delta counter's window. No window has NaN for another reason.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Window {
  model::Timestamp start = 0;
  model::Timestamp first_time = 0;  // of the first sample in it
  model::Timestamp last_time = 0;   // of the last one
  std::uint64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  const TextPart* text = nullptr;  // of texts; lives as long as the TextPool that has it
};
static_assert(sizeof(Window) == 64, "numbers are folded by the million");

// Windows of one series and kind at one granularity, ascending. A window of count 0 is empty: it replaces an older
// window whose samples were deleted. Its other fields are meaningless, and `text` may be null.
using Windows = std::vector<Window>;

// Parts of texts that are made anew are of `texts`, here and below; windows of numbers need none.
// Adds `from`, of the same window, to `into`. A field that is unknown in one is unknown in the result; an empty window
// adds nothing.
void combine(Window& into, const Window& from, TextPool& texts);

// Windows of a granularity that `width_ms` of is a multiple, made of finer ones; appended to `out`, which is empty or
// ends before them. Empty, where all of those are.
void coarsen(const Windows& finer, std::int64_t width_ms, Windows& out, TextPool& texts);

// Two ascending lists as one; what both have is combined.
Windows merged(const Windows& a, const Windows& b, TextPool& texts);

}  // namespace varve::rollup
