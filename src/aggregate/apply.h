// SPDX-License-Identifier: Apache-2.0
// A stage over points that are in memory: what comes after the first stage, or first where samples had to be merged.
#pragma once

#include "aggregate/points.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

// `in` ascends by time, then by value. What is no number passes unchanged where the function does not take them.
// stage.sampling.value > 0.
Points apply(const Stage& stage, model::Timestamp query_start, Points in);

}  // namespace varve::aggregate
