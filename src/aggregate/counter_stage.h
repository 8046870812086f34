// SPDX-License-Identifier: Apache-2.0
// Counter stage: how much a counter grew in each window, or that per second of the time for which it is known. Where a
// window is not covered at all there is no point, which differs from 0 (counter/interval.h).
//
// As the first step of a query it is made of each series by itself, and then summed over the series of the group for
// which the window is known; it then knows how the series are declared, and what is around the range. As a later step
// it takes the points as one counter.
#pragma once

#include "aggregate/growth.h"
#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"
#include "base/result.h"
#include "counter/options.h"
#include "counter/walk.h"

namespace varve::aggregate {

struct CounterStage : Grid {
  bool per_second = false;  // counter_rate; else increase
  counter::Options options;
  // The query's range includes its end, a point in time. The millisecond that begins there is no part of any window.
  bool end_is_point = false;
  bool shows_coverage = false;  // Points::covered_ms is there; of the last step only
  // Not 0: of the points only the least and the greatest in each window of this width matter, and others may be
  // missing. Windows are counted from 1970; of the first step only.
  std::int64_t extremes_in_ms = 0;
};

constexpr std::string_view name_of(const CounterStage& stage) { return stage.per_second ? "counter_rate" : "increase"; }

// What of the range a stage takes.
inline model::TimeRange grows_in(const CounterStage& stage, model::TimeRange range) {
  return {range.first, stage.end_is_point ? range.last - 1 : range.last};
}

// Numbers; times ascend. Of equal times the last point counts, and nulls are not there. Error: what scope.charge says.
Result<Points> apply(const CounterStage& stage, const Scope& scope, Points in);

// The same of one series by all that is known of it, and only what grew in `range`.
// `last`: where the points before these ended.
Status count(const counter::Evidence& evidence, counter::LastSample& last, const Points& in, model::TimeRange range,
             const Windows& windows, const Charge& charge, GrowthCells& out);

// At the start of each window, or where the stage says so at its end.
Result<Points> to_points(const CounterStage& stage, const Windows& windows, const GrowthTotals& totals,
                         const Charge& charge = {});

}  // namespace varve::aggregate
