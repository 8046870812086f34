// SPDX-License-Identifier: Apache-2.0
// Pending: which slots and units of a tenant cannot be trusted to be whole, as of one moment before anything is read.
//
// What was acknowledged before that moment stands in sealed rows, unless its slot is pending; and in a unit's windows,
// unless the slot, a finer unit that it was made of, or the unit itself is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "model/time.h"

namespace varve::engine::cassandra {

struct Pending {
  std::vector<model::Timestamp> slots;               // of samples, ascending
  std::vector<std::vector<model::Timestamp>> units;  // of each granularity, ascending
};

// Ascending, none touching the next.
using TimeRanges = std::vector<model::TimeRange>;

// Where windows of this granularity cannot be trusted, as whole windows.
TimeRanges distrusted(const Pending& pending, std::size_t level, std::span<const std::int64_t> granularities_ms,
                      std::int64_t slot_width_ms);

// What lies in both; may be empty.
inline model::TimeRange both(model::TimeRange a, model::TimeRange b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

// The same of lists, each ascending and without overlaps.
TimeRanges both(const TimeRanges& a, const TimeRanges& b);

// The ranges sorted, those that touch or overlap joined.
void join(TimeRanges& ranges);
// What of `range` lies in none of them.
TimeRanges without(model::TimeRange range, const TimeRanges& ranges);
[[nodiscard]] bool overlaps(const TimeRanges& ranges, model::TimeRange range);

// Who knows. Thread-safe. An error: nobody can say what is pending, then nothing can be answered.
class PendingSource {
 public:
  virtual ~PendingSource() = default;
  virtual Result<Pending> pending(model::TenantId tenant, model::TimeRange range) = 0;
};

}  // namespace varve::engine::cassandra
