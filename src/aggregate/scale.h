// SPDX-License-Identifier: Apache-2.0
// Scale and divide: multiplies or divides each value by a number. Doubles; nulls stay.
#pragma once

#include "aggregate/points.h"

namespace varve::aggregate {

struct Scale {
  double factor = 0;
};
struct Divide {
  double divisor = 1;  // not 0
};

Points apply(const Scale& scale, Points in);
Points apply(const Divide& divide, Points in);

}  // namespace varve::aggregate
