// SPDX-License-Identifier: Apache-2.0
// Which window width a query gets that names none: the finest of the configured rollups whose data still reach back to
// its start.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/time.h"

namespace varve::protocol::ceres {

struct Granularity {
  std::int64_t width_ms;
  std::int64_t retention_ms;  // counted from a sample's time
};

// What is kept, and for how long.
struct Retentions {
  std::int64_t raw_ms = 0;
  std::vector<Granularity> rollups;
};

// A width reaches as far back as the longest kept data that it can be made of: raw samples, its own rollup, or a finer
// one that divides it. Where none reaches the start (or the end, if that lies further ahead than now), the one that
// reaches furthest; of two that reach equally far the finer. Error: invalid, if there are no rollups to choose from.
Result<std::int64_t> pick_granularity(const Retentions& kept, model::TimeRange range, model::Timestamp now);

}  // namespace varve::protocol::ceres
