// SPDX-License-Identifier: Apache-2.0
// Applies a stage to points in memory: a later stage, or the first one if samples had to be merged.
#pragma once

#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

// `in` ascends by time, then by value. Values that are not numbers pass unchanged if the function does not accept them.
// stage.sampling.value > 0. Error: what scope.charge says.
Result<Points> apply(const Stage& stage, const Scope& scope, Points in);

}  // namespace varve::aggregate
