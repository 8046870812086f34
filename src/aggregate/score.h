// SPDX-License-Identifier: Apache-2.0
// Score: how many of the thresholds a value has passed, 0..n.
#pragma once

#include <vector>

#include "aggregate/points.h"

namespace varve::aggregate {

struct Threshold {
  double value = 0;
  bool counts_equal = false;  // a value equal to it has passed it ("inferior")
};

struct Score {
  std::vector<Threshold> thresholds;
  bool descending = false;  // how many it has not passed
};

// Doubles; nulls stay.
Points apply(const Score& score, Points in);

}  // namespace varve::aggregate
