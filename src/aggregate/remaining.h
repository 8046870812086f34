// SPDX-License-Identifier: Apache-2.0
// PercentRemaining: the share of each histogram's values that the previous steps left in it.
#pragma once

#include "aggregate/points.h"

namespace varve::aggregate {

struct PercentRemaining {};

// `in`: histograms. Shares are from 0 to 1; histograms that had counted nothing have none. Nulls, and bytes that are
// not a histogram, are dropped.
Points apply(const PercentRemaining& remaining, Points in);

}  // namespace varve::aggregate
