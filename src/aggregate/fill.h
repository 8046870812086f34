// SPDX-License-Identifier: Apache-2.0
// Aligns one series to its windows: reduces the samples of each window, and fills windows that have none.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregate/points.h"
#include "aggregate/reducer.h"
#include "aggregate/scope.h"
#include "aggregate/windows.h"
#include "model/time.h"

namespace varve::aggregate {

// One point for each window with samples, at its start. Integers stay integers if the reducer allows it; NaN is ignored
// unless a window has nothing else. `in`: numbers, ascending. Error: what `charge` says.
Result<Points> gather(Reducer reducer, const Windows& windows, const Points& in, const Charge& charge = {});

// The number of windows that fill() fills: from the one that contains the start of the range to the last one that
// begins within it. `range` is not empty.
std::uint64_t windows_in(const Windows& windows, model::TimeRange range);

// A point at the start of each of those windows: of `in` where it has one, else 0 or NaN. `in`: at starts of windows,
// ascending; what lies behind the last window is kept. Error: what `charge` says.
Result<Points> fill(const Windows& windows, model::TimeRange range, bool with_zero, const Points& in,
                    const Charge& charge = {});

}  // namespace varve::aggregate
