// SPDX-License-Identifier: Apache-2.0
// MovingWindow: windows of `sampling.value` units that advance by one unit. Each repeats all its points with the time
// of its end, so that a following aggregator over single milliseconds computes over moving windows.
//
// Windows end at E(k), k units after the query's start, or with align_sampling after the beginning of the unit that
// holds it; k = 0, 1, … Window k is (E(k − value), E(k)]. The first is the one that the first point is in, or that of
// k = 0; the last the one whose end the last point is next to. Windows without points give none.
#pragma once

#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

struct MovingWindow : Grid {};  // the stamp has no say

// Start of the first window of a query that begins at `start`: earlier samples have no influence. sampling.value > 0.
model::Timestamp first_begin(const MovingWindow& moving, model::Timestamp start);

// `in`: any points, ascending. Those of one window are in the order in which they were; numbers of mixed types become
// doubles, for which that order counts. Errors: what scope.charge says.
Result<Points> apply(const MovingWindow& moving, const Scope& scope, Points in);

}  // namespace varve::aggregate
