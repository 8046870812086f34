// SPDX-License-Identifier: Apache-2.0
// Pending: the slots and rollup blocks of a tenant whose rows may be incomplete, at one moment before anything is read.
//
// A sample that was acknowledged before that moment is in sealed rows, unless its slot is pending. It is in the windows
// of a rollup block, unless its slot, a finer rollup block over it, or the rollup block itself is pending.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.h"
#include "model/time.h"
#include "model/time_ranges.h"

namespace varve::engine::cassandra {

struct Pending {
  std::vector<model::Timestamp> slots;                       // of samples, ascending
  std::vector<std::vector<model::Timestamp>> rollup_blocks;  // of each granularity, ascending
};

using model::TimeRanges;

// Where windows of this granularity cannot be trusted, as whole windows.
TimeRanges distrusted(const Pending& pending, std::size_t level, std::span<const std::int64_t> granularities_ms,
                      std::int64_t slot_width_ms);

}  // namespace varve::engine::cassandra
