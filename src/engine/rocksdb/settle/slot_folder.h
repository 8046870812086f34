// SPDX-License-Identifier: Apache-2.0
// SlotFolder: reads groups of a raw slot out of its runs and folds each of their series into windows.
#pragma once

#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/rocksdb/runs/run_reader.h"
#include "engine/shared/gather.h"
#include "engine/shared/series_folder.h"
#include "engine/shared/series_merge.h"
#include "index/series_index.h"

namespace varve::engine::rocksdb {

// One thread.
class SlotFolder {
 public:
  // Numbers and texts of a series come apart, each once, also where there are none; the windows are the finest ones,
  // valid during the call.
  using Out = std::function<Status(model::SeriesId series, bool text, const rollup::Windows& windows)>;

  // Samples in `except` are left out.
  SlotFolder(const ScanSource& source, const Runs::OfSlot& slot, std::int64_t width_ms,
             model::TimeRange except = {0, 0});

  // A group none of whose series stands elsewhere.
  Status group(std::uint32_t group, std::span<const model::SeriesId> series, const Out& out);
  // A series that stands in several places; once for each series, whatever group it was met in; also if it has nothing
  // left there. Samples whose time to live is over are left out: windows tell groups no more.
  Status series(model::SeriesId series, std::span<const index::Place> places, const Out& out);

 private:
  // What was folded last.
  Status give(model::SeriesId series, const Out& out);

  std::vector<RunReader> readers_;
  const std::int64_t now_ms_;
  shared::Gather gather_;
  shared::SeriesMerge merge_;
  std::unordered_set<std::uint32_t> merged_;  // series done already
  std::vector<model::Timestamp> times_;
  chunk::DecodedColumn column_;
  shared::SeriesFolder folder_;
};

}  // namespace varve::engine::rocksdb
