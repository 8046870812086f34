// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/scan.h"

#include <algorithm>

#include "base/parallel.h"
#include "engine/rocksdb/scan/scan_range.h"
#include "engine/rocksdb/scan/scan_stretches.h"
#include "engine/rocksdb/scan/scan_windows.h"

namespace varve::engine::rocksdb {
namespace {

// Below this many (place, slot) pairs another thread costs more than it takes off.
constexpr std::size_t kPairsPerThread = 2000;

// Where a share of the groups ends must not cut a group.
std::vector<std::span<const Place>> shares(std::span<const Place> places, std::size_t count) {
  std::vector<std::span<const Place>> out;
  const std::size_t size = std::max<std::size_t>(1, places.size() / count);
  while (!places.empty()) {
    std::size_t end = std::min(size, places.size());
    while (end < places.size() && places[end].group == places[end - 1].group) ++end;
    out.push_back(places.first(end));
    places = places.subspan(end);
  }
  return out;
}

// Series by series, all places of one together.
std::vector<std::span<const Place>> by_series(std::span<const Place> places) {
  std::vector<std::span<const Place>> out;
  while (!places.empty()) {
    std::size_t end = 1;
    while (end < places.size() && places[end].series == places[0].series) ++end;
    out.push_back(places.first(end));
    places = places.subspan(end);
  }
  return out;
}

}  // namespace

Status scan_places(const ScanSource& source, std::vector<Place> places, const storage::ScanOptions& options,
                   TaskPool& helpers, storage::PieceSink& sink) {
  // What stands in one place is read group by group; what stands in several is merged series by series.
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.series < b.series; });
  std::vector<Place> several;
  std::size_t singles = 0;
  for (const auto& of_one : by_series(places)) {
    if (of_one.size() == 1) {
      places[singles++] = of_one[0];
    } else {
      several.insert(several.end(), of_one.begin(), of_one.end());
    }
  }
  places.resize(singles);
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return std::tie(a.group, a.column) < std::tie(b.group, b.column); });

  const SlotList slots(source, options.range);
  const std::size_t pairs = (places.size() + several.size()) * std::max<std::size_t>(1, slots.count());
  const std::size_t threads = std::clamp<std::size_t>(pairs / kPairsPerThread, 1, std::max(1U, options.threads));
  const auto ranges = shares(places, threads == 1 ? 1 : threads * 4);
  // A share of places, stretch by stretch of time.
  const auto scan = [&](std::span<const Place> part, auto read) -> Status {
    for (const Stretch& stretch : stretches_of(source, slots, options.range, part, sink)) {
      if (stretch.granularity_ms != 0) {
        VARVE_CHECK_OK(scan_windows(source, slots, stretch, options, part, sink));
        continue;
      }
      storage::ScanOptions of_stretch = options;
      of_stretch.range = stretch.range;
      ScanRange range(source, slots, of_stretch, sink);
      VARVE_CHECK_OK(read(range));
    }
    return {};
  };
  VARVE_CHECK_OK(in_parallel(helpers, threads - 1, ranges.size(), [&](std::size_t i) {
    return scan(ranges[i], [&](ScanRange& range) { return range.groups(ranges[i]); });
  }));
  const auto merged = by_series(several);
  return in_parallel(helpers, threads - 1, merged.size(), [&](std::size_t i) {
    return scan(merged[i], [&](ScanRange& range) { return range.merged(merged[i]); });
  });
}

}  // namespace varve::engine::rocksdb
