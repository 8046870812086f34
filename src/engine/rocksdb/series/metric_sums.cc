// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/series/metric_sums.h"

#include <algorithm>

#include "engine/rocksdb/series/stats_page.h"

namespace varve::engine::rocksdb {
namespace {

void add_series(MetricAdder& out, const StatsPage& page, std::uint32_t number, const index::SeriesIndex& index) {
  const std::uint64_t first = std::uint64_t{number} * StatsPage::kSeries;
  for (std::uint32_t i = 0; i < StatsPage::kSeries; ++i) {
    const storage::SeriesStats stats = page[i];
    if (stats.points == 0) continue;
    const model::SeriesId series{static_cast<std::uint32_t>(first + i)};
    out.add(index.metric_number(series), stats);
  }
}

}  // namespace

void PageSums::add_to(MetricAdder& out, MetricAdder& scratch, const StatsPage& page, std::uint32_t number,
                      const index::SeriesIndex& index) {
  const MutexLock lock(mutex_);
  if (known_ == Known::no) {
    add_series(scratch, page, number, index);
    sums_ = scratch.take();
    sums_.shrink_to_fit();
    known_ = sums_.size() <= kMetricsMax ? Known::yes : Known::too_many;
    if (known_ == Known::too_many) sums_ = {};
  }
  if (known_ == Known::too_many) return add_series(out, page, number, index);
  for (const MetricSum& sum : sums_) out.add(sum.metric, sum.stats);
}

}  // namespace varve::engine::rocksdb
