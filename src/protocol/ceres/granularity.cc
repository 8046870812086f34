// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/granularity.h"

#include <algorithm>

namespace varve::protocol::ceres {

namespace {

std::int64_t reach_ms(const Retentions& kept, const Granularity& wanted) {
  std::int64_t reach = std::max(kept.raw_ms, wanted.retention_ms);
  for (const Granularity& finer : kept.rollups) {
    if (finer.width_ms < wanted.width_ms && wanted.width_ms % finer.width_ms == 0) {
      reach = std::max(reach, finer.retention_ms);
    }
  }
  return reach;
}

}  // namespace

Result<std::int64_t> pick_granularity(const Retentions& kept, model::TimeRange range, model::Timestamp now) {
  if (kept.rollups.empty()) {
    return fail(Code::invalid, "no rollups are configured to choose a granularity from; name one, such as 5m");
  }
  const std::int64_t age_ms = std::max(now, range.last) - range.first;
  const Granularity* best = nullptr;
  std::int64_t best_reach = 0;
  for (const Granularity& candidate : kept.rollups) {
    const std::int64_t reach = reach_ms(kept, candidate);
    // Once one reaches the start, only a finer one that does too is better.
    const bool finer = best != nullptr && candidate.width_ms < best->width_ms;
    const bool better = best == nullptr       ? true
                        : best_reach > age_ms ? reach > age_ms && finer
                        : reach != best_reach ? reach > best_reach
                                              : finer;
    if (!better) continue;
    best = &candidate;
    best_reach = reach;
  }
  return best->width_ms;
}

}  // namespace varve::protocol::ceres
