// SPDX-License-Identifier: Apache-2.0
// Points of one series onto the grid of its windows: samples gathered into windows by a Reducer, and points for windows
// that have none.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregate/points.h"
#include "aggregate/reducer.h"
#include "aggregate/windows.h"
#include "model/time.h"

namespace varve::aggregate {

// One point for each window with samples, at its start. Whole numbers stay whole where the reducer allows it; NaN is
// passed over unless a window has nothing else. `in`: numbers, ascending.
Points gather(Reducer reducer, const Windows& windows, const Points& in);

// How many windows begin before the range's last millisecond, counted from the one that holds its first: those that
// fill() fills. range not empty.
std::uint64_t windows_in(const Windows& windows, model::TimeRange range);

// A point at the start of each of those windows: of `in` where it has one, else 0 or NaN. `in`: at starts of windows,
// ascending; what lies behind the last window is kept.
Points fill(const Windows& windows, model::TimeRange range, bool with_zero, const Points& in);

}  // namespace varve::aggregate
