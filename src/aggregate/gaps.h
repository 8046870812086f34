// SPDX-License-Identifier: Apache-2.0
// Gaps: inserts a null at the start of each window without a sample; samples pass unchanged.
#pragma once

#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

struct Gaps : Grid {
  bool trim = false;  // no nulls before the first sample and after the last one
};

// From the window that contains the scope's start to the one that contains its end, or the last sample if that is
// later.
// `in`: numbers or texts, ascending. Errors: what scope.charge says.
Result<Points> apply(const Gaps& gaps, const Scope& scope, Points in);

}  // namespace varve::aggregate
