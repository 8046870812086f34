// SPDX-License-Identifier: Apache-2.0
// Across: several series into one, time by time. The result has a point at each time at which any series has one; a
// series that has none there counts with the line between its neighbours, or not at all, as the reducer wants it.
// Before its first and behind its last sample a series never counts.
#pragma once

#include <functional>
#include <span>

#include "aggregate/points.h"
#include "aggregate/reducer.h"
#include "base/result.h"

namespace varve::aggregate {

// Each series: numbers, times ascending and unique. NaN does not count; where nothing else is there, the result is NaN.
// Whole numbers give whole numbers where the reducer does and nothing was interpolated. `alive` is asked now and then;
// its error is returned.
Result<Points> across(Reducer reducer, std::span<const Points> series, const std::function<Status()>& alive);

}  // namespace varve::aggregate
