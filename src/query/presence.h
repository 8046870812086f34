// SPDX-License-Identifier: Apache-2.0
// Presence: in which windows of time the series of a metric have samples, how many, and since when.
//
// Window k is [k × width, (k + 1) × width), counted from 1970 in UTC. Where slots are sealed, windows of rollups are
// read instead of samples, else statistics of chunks where they do. Numbers count and whatever is no number, as those
// of a `count` over the same windows do: NaN and infinities do not, and no text whose samples are gone.
// The last sample of a window is not known of rollups, so it is not told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/matcher.h"
#include "model/ids.h"
#include "model/time.h"
#include "query/engine.h"
#include "query/read_count.h"
#include "query/under_way.h"
#include "storage/series_stats.h"

namespace varve::query {

struct PresenceQuery {
  std::string tenant;
  std::string metric;
  model::TimeRange range;     // every window that touches it is looked at, the whole of it
  std::int64_t width_ms = 0;  // 1 ms to 10 years
};

// A window with samples in it.
struct MetricWindow {
  model::Timestamp start = 0;
  model::Timestamp first_ms = 0;  // time of the first sample
  std::uint64_t series = 0;       // that have a sample in it
  std::uint64_t points = 0;
};
struct MetricWindows {
  std::vector<MetricWindow> windows;  // ascending
  bool more = false;                  // there are later ones in the range
  Read read;
};

// The first `limit` (≥ 1) windows of those series of the metric together that fit the matchers. Nothing of an unknown
// tenant or metric. Holds about 40 bytes a series and 64 MiB at most beside. Part of `under_way`. Blocks as
// Engine::run() does, with its errors.
Result<MetricWindows> windows_of_metric(const Engine& engine, const PresenceQuery& query,
                                        const index::Matchers& matchers, std::size_t limit, UnderWay& under_way);

struct SeriesWindow {
  model::Timestamp start = 0;
  model::Timestamp first_ms = 0;
  std::uint64_t points = 0;
};
struct SeriesWindows {
  std::vector<std::vector<SeriesWindow>> of_series;  // ascending in each
  Read read;
};

// The windows of each of these series of the metric, ascending and with the `stats` that the store told of them: of as
// many of the first ones as have at most `windows_max` together. Errors: those of Engine::run(), and invalid if the
// first has more of its own.
Result<SeriesWindows> windows_of_series(const Engine& engine, const PresenceQuery& query,
                                        std::span<const model::SeriesId> series,
                                        std::span<const storage::SeriesStats> stats, std::size_t windows_max,
                                        UnderWay& under_way);

}  // namespace varve::query
