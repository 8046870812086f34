// SPDX-License-Identifier: Apache-2.0
// Across: combines several series into one. The result has a point at each time at which any series has one; a series
// that has none there is interpolated linearly or ignored, as the reducer requires. Before its first and after its last
// sample a series is always ignored.
#pragma once

#include <functional>
#include <span>

#include "aggregate/packed_series.h"
#include "aggregate/points.h"
#include "aggregate/reducer.h"
#include "base/result.h"

namespace varve::aggregate {

// Times, ascending, at which each series has a value: where it has no sample, 0 or NaN.
struct Filling {
  std::span<const model::Timestamp> times;
  bool with_zero = false;
};

// Each series: numbers, times ascending and unique. NaN is ignored; if there is nothing else, the result is NaN.
// Integers give integers if the reducer does and nothing was interpolated. `alive` is called now and then; its error is
// returned.
Result<Points> across(Reducer reducer, std::span<const SeriesView> series, const std::function<Status()>& alive,
                      const Filling& filling = {});

}  // namespace varve::aggregate
