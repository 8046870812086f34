// SPDX-License-Identifier: Apache-2.0
// Scan plan: decides which parts of a scan's time range are read as windows, of which granularity, and which as
// samples.
//
// Windows are read only where they are equivalent to the samples: in slots that are completely rolled up, and if the
// sink accepts windows of that granularity. Of several granularities the coarsest is read.
#pragma once

#include <span>
#include <vector>

#include "engine/rocksdb/scan/scan_range.h"
#include "engine/shared/window_plan.h"

namespace varve::engine::rocksdb {

using shared::Segment;

// In time order; together they cover all data in the range. A slot whose samples retention has dropped may occur twice:
// its windows, and samples that arrived later.
std::vector<Segment> plan_scan(const ScanSource& source, const SlotList& slots, model::TimeRange range,
                               std::span<const Place> places, storage::PieceSink& sink);

}  // namespace varve::engine::rocksdb
