// SPDX-License-Identifier: Apache-2.0
// Scan: reads series for a question: which of their groups may have something (the index), which slots are not whole
// (the trackers), then the data, some groups at a time and several such batches at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/task_pool.h"
#include "engine/cassandra/hot/pending_trackers.h"
#include "engine/cassandra/scan/batch_scan.h"
#include "engine/cassandra/series/series_tables.h"
#include "rollup/levels.h"

namespace varve::engine::cassandra {

// Thread-safe. Methods block.
class Scanner {
 public:
  struct Parts {
    RowStore& rows;
    SeriesTables& series;
    const SlotReader& reader;
    const std::vector<ChunkTable>& levels;  // of windows, finest first
    const rollup::Levels& rollups;
    PendingTrackers& pending;
    TaskPool& helpers;
    const Clock& clock;  // the one that all replicas share
    std::int64_t samples_shown_ms = rollup::kForEver;
  };
  explicit Scanner(const Parts& parts);

  // As storage::SampleStore::scan().
  Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
              storage::PieceSink& sink) const;
  // Reads what the index has of the series' metrics in the range; returns where there may be samples of them.
  Result<TimeRanges> active(model::TenantId tenant, std::span<const model::SeriesId> series, model::TimeRange range,
                            const RowStore::ReadLimits& limits) const;
  // As storage::SeriesStore::series_stats().
  Result<std::vector<storage::SeriesStats>> series_stats(model::TenantId tenant,
                                                         std::span<const model::SeriesId> series) const;

 private:
  struct Wanted;
  // What is different in a scan of series of one class.
  struct OfClass {
    storage::ScanOptions options;
    std::vector<rollup::Level> levels;
    std::int64_t samples_shown_ms;
  };
  [[nodiscard]] OfClass of_class(rollup::RetentionClasses::Number number, const storage::ScanOptions& options,
                                 std::int64_t now_ms) const;
  Result<Wanted> find(model::TenantId tenant, std::span<const model::SeriesId> series,
                      const storage::ScanOptions& options) const;

  const Parts parts_;
  std::vector<std::int64_t> granularities_;
};

}  // namespace varve::engine::cassandra
