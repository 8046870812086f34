// SPDX-License-Identifier: Apache-2.0
// Counter part: the part of a window that says how a counter grew in it. counters.h makes and combines them.
#pragma once

#include "counter/summary.h"

namespace varve::rollup {

struct CounterPart {
  counter::AnySummary summary;
  // False: it lacks some of the window's samples, which say more: they came when others were gone, or a window that it
  // was made of has no such part.
  bool exact = true;
};

}  // namespace varve::rollup
