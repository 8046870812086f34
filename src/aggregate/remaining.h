// SPDX-License-Identifier: Apache-2.0
// PercentRemaining: of each histogram the share of its values that the steps before left in it.
#pragma once

#include "aggregate/points.h"

namespace varve::aggregate {

struct PercentRemaining {};

// `in`: histograms. Shares are from 0 to 1; histograms that had counted nothing have none. Nulls, and bytes that are no
// histogram, go.
Points apply(const PercentRemaining& remaining, Points in);

}  // namespace varve::aggregate
