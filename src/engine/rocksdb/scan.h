// SPDX-License-Identifier: Apache-2.0
// Scan: reads series out of a View, slot by slot, and merges what stands in more than one place.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/rocksdb/block_cache.h"
#include "engine/rocksdb/view.h"
#include "rollup/levels.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// Where a wanted series stands.
struct Place {
  std::uint32_t group;
  std::uint16_t column;
  std::uint32_t series;  // position in the caller's list
};

struct ScanSource {
  const View& view;
  std::mutex& append_mutex;
  const Database& database;
  BlockCache& cache;
  const Clock& clock;
  model::TenantId tenant;
  std::int64_t chunk_width_ms;
  const rollup::Levels* rollups = nullptr;       // none: only samples are read
  std::span<const model::SeriesId> series = {};  // the caller's list
  std::span<const std::uint8_t> counters = {};   // of each: is it a delta counter, whose windows have no extremes
};

// `places` in any order; a series may have several. Runs on up to options.threads threads, the caller's among them.
Status scan_places(const ScanSource& source, std::vector<Place> places, const storage::ScanOptions& options,
                   storage::PieceSink& sink);

}  // namespace varve::engine::rocksdb
