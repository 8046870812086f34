// SPDX-License-Identifier: Apache-2.0
// ScanSource: what readers of runs and heads are given.
#pragma once

#include <cstdint>
#include <span>

#include "base/clock.h"
#include "engine/rocksdb/runs/block_cache.h"
#include "engine/rocksdb/runs/view.h"
#include "model/ids.h"
#include "rollup/levels.h"

namespace varve::engine::rocksdb {

struct ScanSource {
  const View& view;
  const Database& database;
  BlockCache& cache;
  const Clock& clock;
  model::TenantId tenant;
  std::int64_t chunk_width_ms;
  const rollup::Levels* rollups = nullptr;       // none: only samples are read
  std::span<const model::SeriesId> series = {};  // the caller's list
  std::span<const std::uint8_t> counters = {};   // of each: is it a delta counter, whose windows have no extremes
  std::span<const std::uint8_t> plain = {};      // of each: do its windows say nothing that is wanted? None: they do
};

}  // namespace varve::engine::rocksdb
