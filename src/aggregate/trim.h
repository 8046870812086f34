// SPDX-License-Identifier: Apache-2.0
// Trim: removes the first point, the last one, or both: windows at the ends of a range are rarely complete.
#pragma once

#include "aggregate/points.h"

namespace varve::aggregate {

struct Trim {
  bool first = false;
  bool last = false;
};

// `in`: numbers or texts in either order of time; a null is a point.
Points apply(const Trim& trim, Points in);

}  // namespace varve::aggregate
