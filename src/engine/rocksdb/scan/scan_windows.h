// SPDX-License-Identifier: Apache-2.0
// Scan windows: reads a segment of a scan as windows, and reads samples for what its windows lack:
//
//   texts, of which a window keeps only the last; except histograms, if the sink wants them merged and the window has
//     all of them
//   numbers, if the sink does not want their windows
//   extremes, if a window has none because its metric was a delta counter when it was made
//
// If those samples are gone, too, such windows are delivered with NaN as extremes (unknown), and histograms as far as
// the window has them.
#pragma once

#include <span>

#include "engine/rocksdb/scan/scan_plan.h"

namespace varve::engine::rocksdb {

// Delivers the segment to the sink. `places`: as for ScanRange::groups(), or all places of one series.
Status scan_windows(const ScanSource& source, const SlotList& slots, const Segment& segment,
                    const storage::ScanOptions& options, std::span<const Place> places, storage::PieceSink& sink);

}  // namespace varve::engine::rocksdb
