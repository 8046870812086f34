// SPDX-License-Identifier: Apache-2.0
// SlotFolder: reads groups of a raw slot from its runs and folds each of their series into windows.
#pragma once

#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/rocksdb/runs/run_reader.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/shared/gather.h"
#include "engine/shared/series_folder.h"
#include "engine/shared/series_merge.h"
#include "index/series_index.h"

namespace varve::engine::rocksdb {

// One thread.
class SlotFolder {
 public:
  // Called for the numbers and for the texts of a series, once each, also where it has none, with windows of the finest
  // granularity, which are valid during the call.
  using Out = std::function<Status(model::SeriesId series, bool text, const rollup::Windows& windows)>;

  // How the series is declared, if it is a counter; else nullptr.
  using CounterOf = std::function<const counter::Declaration*(model::SeriesId series)>;

  // Leaves out samples in `except`.
  SlotFolder(const ScanSource& source, const Runs::OfSlot& slot, std::int64_t width_ms,
             model::TimeRange except = {0, 0});

  // A group that shares no series with another one.
  Status group(std::uint32_t group, std::span<const model::SeriesId> series, const CounterOf& counter_of,
               const Out& out);
  // A series that several groups hold, out of all of them: once for each series, whichever group names it, and also if
  // no sample of it is left. Samples whose time to live is over are left out: windows do not tell groups apart.
  Status series(model::SeriesId series, const Catalog& catalog, const CounterOf& counter_of, const Out& out)
      VARVE_EXCLUDES(catalog.mutex);

 private:
  // Passes the windows of the last fold to `out`.
  Status give(model::SeriesId series, const Out& out);

  std::vector<RunReader> readers_;
  const std::int64_t now_ms_;
  shared::Gather gather_;
  shared::SeriesMerge merge_;
  std::unordered_set<std::uint32_t> merged_;  // series done already
  std::vector<index::Place> places_;
  std::vector<model::Timestamp> times_;
  chunk::DecodedColumn column_;
  shared::SeriesFolder folder_;
};

}  // namespace varve::engine::rocksdb
