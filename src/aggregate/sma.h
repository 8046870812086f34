// SPDX-License-Identifier: Apache-2.0
// Simple moving average of each sample and the size − 1 before it; begins once there are that many.
#pragma once

#include <cstdint>

#include "aggregate/points.h"

namespace varve::aggregate {

struct Sma {
  std::int64_t size = 1;  // > 0
};

// `in`: numbers in either order of time; nulls are ignored.
Points apply(const Sma& sma, Points in);

}  // namespace varve::aggregate
