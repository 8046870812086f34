// SPDX-License-Identifier: Apache-2.0
// Gaps: a null where a window has no sample, at the window's start; samples pass as they are.
#pragma once

#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

struct Gaps : Grid {
  bool trim = false;  // no nulls before the first sample and after the last one
};

// From the window that holds the scope's start to the one that holds its end, or the last sample if that is later.
// `in`: numbers or texts, ascending. Errors: what scope.charge says.
Result<Points> apply(const Gaps& gaps, const Scope& scope, Points in);

}  // namespace varve::aggregate
