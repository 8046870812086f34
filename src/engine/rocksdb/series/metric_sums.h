// SPDX-License-Identifier: Apache-2.0
// Sums of stats by metric, so that what is known of a metric of a million series is not added up from all of them each
// time it is asked for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "index/series_index.h"
#include "storage/series_stats.h"

namespace varve::engine::rocksdb {

class StatsPage;

struct MetricSum {
  std::uint32_t metric;  // number (index/series_index.h)
  storage::SeriesStats stats;
};

// Adds up. Only metrics that occur cost anything but four bytes.
class MetricAdder {
 public:
  // index::kNone: of a series that has left the index, which counts no more.
  void add(std::uint32_t metric, const storage::SeriesStats& stats) {
    if (stats.points == 0 || metric == index::kNone) return;
    if (metric >= place_.size()) place_.resize(metric + 1 + place_.size() / 2, index::kNone);
    std::uint32_t& place = place_[metric];
    if (place == index::kNone) {
      place = static_cast<std::uint32_t>(sums_.size());
      sums_.push_back({metric, {}});
    }
    sums_[place].stats.add(stats);
  }
  [[nodiscard]] storage::SeriesStats of(std::uint32_t metric) const {
    return metric < place_.size() && place_[metric] != index::kNone ? sums_[place_[metric]].stats
                                                                    : storage::SeriesStats{};
  }
  // All sums; it is empty then.
  std::vector<MetricSum> take() {
    for (const MetricSum& sum : sums_) place_[sum.metric] = index::kNone;
    return std::exchange(sums_, {});
  }

 private:
  std::vector<std::uint32_t> place_;  // by metric: in sums_
  std::vector<MetricSum> sums_;
};

// Of one page of series' stats, which does not change: made when it is first asked for. Thread-safe.
class PageSums {
 public:
  // Keeps no more than this: a page of a thousand metrics is added up each time, and takes no memory twice.
  static constexpr std::size_t kMetricsMax = 64;

  // Adds the sums of `page`, which is always the same, to `out`. `scratch` is empty, and is left so.
  void add_to(MetricAdder& out, MetricAdder& scratch, const StatsPage& page, std::uint32_t number,
              const index::SeriesIndex& index) VARVE_EXCLUDES(mutex_);

 private:
  enum class Known : std::uint8_t { no, yes, too_many };

  Mutex mutex_;
  Known known_ VARVE_GUARDED_BY(mutex_) = Known::no;
  std::vector<MetricSum> sums_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::engine::rocksdb
