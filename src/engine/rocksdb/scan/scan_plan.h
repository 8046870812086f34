// SPDX-License-Identifier: Apache-2.0
// Scan plan: which parts of a scan's time are read as windows of which granularity, and which as samples.
//
// Windows do only where they say the same as the samples: in slots that are wholly rolled up, and for a sink that takes
// statistics of every window of that granularity. Of several granularities the coarsest is read.
#pragma once

#include <span>
#include <vector>

#include "engine/rocksdb/scan/scan_range.h"
#include "engine/shared/window_plan.h"

namespace varve::engine::rocksdb {

using shared::Segment;

// In order of time; together they cover the range wherever there is something. A slot whose samples retention has
// dropped may come twice: its windows, and the samples that have come since.
std::vector<Segment> plan_scan(const ScanSource& source, const SlotList& slots, model::TimeRange range,
                               std::span<const Place> places, storage::PieceSink& sink);

}  // namespace varve::engine::rocksdb
