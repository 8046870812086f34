// SPDX-License-Identifier: Apache-2.0
#include "counter/interval.h"

#include <algorithm>

namespace varve::counter {

bool broken(std::span<const model::Timestamp> breaks, model::Timestamp begin, model::Timestamp end) {
  const auto after = std::ranges::upper_bound(breaks, begin);
  return after != breaks.end() && *after <= end;
}

}  // namespace varve::counter
