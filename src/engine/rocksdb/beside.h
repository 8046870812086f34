// SPDX-License-Identifier: Apache-2.0
// Which series had no sample in a range of time, by pages of their stats: so that a question about a day costs as what
// lived on that day, however many series there have been.
#pragma once

#include "engine/rocksdb/runs/view.h"
#include "engine/rocksdb/series/catalog.h"
#include "index/skipped_series.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// Pages of series of which neither the runs nor a head have a sample in the range. Of all tenants.
index::SkippedSeries series_beside(const View& view, const Catalog& catalog, model::TimeRange range);

}  // namespace varve::engine::rocksdb
