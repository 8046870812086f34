// SPDX-License-Identifier: Apache-2.0
// Pending: which slots and units of a tenant cannot be trusted to be whole, as of one moment before anything is read.
//
// What was acknowledged before that moment stands in sealed rows, unless its slot is pending; and in a unit's windows,
// unless the slot, a finer unit that it was made of, or the unit itself is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.h"
#include "model/time.h"
#include "model/time_ranges.h"

namespace varve::engine::cassandra {

struct Pending {
  std::vector<model::Timestamp> slots;               // of samples, ascending
  std::vector<std::vector<model::Timestamp>> units;  // of each granularity, ascending
};

using model::TimeRanges;

// Where windows of this granularity cannot be trusted, as whole windows.
TimeRanges distrusted(const Pending& pending, std::size_t level, std::span<const std::int64_t> granularities_ms,
                      std::int64_t slot_width_ms);

}  // namespace varve::engine::cassandra
