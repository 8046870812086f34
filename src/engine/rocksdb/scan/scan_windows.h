// SPDX-License-Identifier: Apache-2.0
// Scan windows: reads a segment of a scan as windows, and as samples what its windows do not say.
//
// That is texts, of which a window keeps only the last, but for histograms where the sink wants them merged and the
// window says all of them; numbers, where it does not want their windows; and extremes where a window has none: it was
// made of what was a delta counter then. Where those samples are gone too, such a window is given with NaN for its
// extremes: that there were samples is known, and which was the least is not; and histograms as the window has them.
#pragma once

#include <span>

#include "engine/rocksdb/scan/scan_plan.h"

namespace varve::engine::rocksdb {

// Gives what is in `segment` of the series to the sink. `places` as for ScanRange, or all places of one series.
Status scan_windows(const ScanSource& source, const SlotList& slots, const Segment& segment,
                    const storage::ScanOptions& options, std::span<const Place> places, storage::PieceSink& sink);

}  // namespace varve::engine::rocksdb
