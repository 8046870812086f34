// SPDX-License-Identifier: Apache-2.0
// Rate: change per second from each sample to the next.
#pragma once

#include <cstdint>
#include <limits>

#include "aggregate/points.h"

namespace varve::aggregate {

struct RateOptions {
  bool counter = false;  // only grows; a smaller value means that it went over counter_max and began again at 0
  std::int64_t counter_max = std::numeric_limits<std::int64_t>::max();
  std::int64_t reset_value = 0;  // a rate over it, where the counter went over, was a restart: 0 instead; 0: no such
  bool drop_resets = false;      // leave out the point where the counter went over
  bool delta_only = false;       // the change itself, not per second
};

// `in`: numbers, times ascending and unique. Doubles; the first sample produces no point. A NaN (a window without
// samples) is kept, and the next rate is computed from the sample before it.
Points rate(const RateOptions& options, const Points& in);

}  // namespace varve::aggregate
