// SPDX-License-Identifier: Apache-2.0
// Least squares: the straight line that fits a window's samples best, as the two points where it begins and ends.
#pragma once

#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

struct LeastSquares : Grid {};

// `in`: numbers, ascending. Points bear the times of a window's first and last sample; one sample is its own line, two
// are theirs, and many at one time have a flat one.
Points apply(const LeastSquares& line, const Scope& scope, Points in);

}  // namespace varve::aggregate
