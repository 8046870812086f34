// SPDX-License-Identifier: Apache-2.0
// Scan: reads series from a View, slot by slot, and merges data that is in several places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "engine/rocksdb/runs/view.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// A column that holds samples of a requested series.
struct Place {
  std::uint32_t group;
  std::uint16_t column;
  std::uint32_t series;                                                          // position in the caller's list
  std::uint32_t ttl_s = 0;                                                       // of the group's samples; 0: none
  rollup::RetentionClasses::Number retention = rollup::RetentionClasses::kNone;  // the class of the series
};

// `places` in any order; a series may have several. Samples whose TTL has expired are not read, nor what is older than
// the class of its series is kept. Runs on up to
// options.threads threads: the caller's and helpers.
Status scan_places(const ScanSource& source, std::vector<Place> places, const storage::ScanOptions& options,
                   TaskPool& helpers, storage::PieceSink& sink);

}  // namespace varve::engine::rocksdb
