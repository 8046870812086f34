// SPDX-License-Identifier: Apache-2.0
// Least squares: the straight line that fits a window's samples best, as the two points where it begins and ends.
#pragma once

#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

struct LeastSquares : Grid {};

// `in`: numbers, ascending. The points have the times of a window's first and last sample; a single sample is returned
// as it is, and samples at one time give a flat line.
Result<Points> apply(const LeastSquares& line, const Scope& scope, Points in);

}  // namespace varve::aggregate
