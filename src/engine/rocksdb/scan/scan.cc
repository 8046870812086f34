// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/scan.h"

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "engine/rocksdb/runs/strata.h"
#include "engine/rocksdb/scan/scan_plan.h"
#include "engine/rocksdb/scan/scan_range.h"
#include "engine/rocksdb/scan/scan_windows.h"

namespace varve::engine::rocksdb {
namespace {

// Below this many pairs of a place and a stretch of time another thread costs more than it takes off.
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

// All places are there in the whole range, or each series' own is looked at sample by sample.
Status scan_alike(const ScanSource& source, std::vector<Place> places, const storage::ScanOptions& options,
                  TaskPool& helpers, storage::PieceSink& sink) {
  if (options.range.empty()) return {};
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
  const std::size_t pairs = (places.size() + several.size()) * std::max<std::size_t>(1, slots.stretches());
  const std::size_t threads = std::clamp<std::size_t>(pairs / kPairsPerThread, 1, std::max(1U, options.threads));
  const auto ranges = shares(places, threads == 1 ? 1 : threads * 4);
  // A share of places, segment by segment of time.
  const auto scan = [&](std::span<const Place> part, auto read) -> Status {
    for (const Segment& segment : plan_scan(source, slots, options.range, part, sink)) {
      if (!segment.of_samples()) {
        VARVE_RETURN_IF_ERROR(scan_windows(source, slots, segment, options, part, sink));
        continue;
      }
      storage::ScanOptions of_segment = options;
      of_segment.range = segment.range;
      ScanRange range(source, slots, of_segment, sink);
      VARVE_RETURN_IF_ERROR(read(range));
    }
    return {};
  };
  VARVE_RETURN_IF_ERROR(in_parallel(helpers, threads - 1, ranges.size(), [&](std::size_t i) {
    return scan(ranges[i], [&](ScanRange& range) { return range.groups(ranges[i]); });
  }));
  const auto merged = by_series(several);
  return in_parallel(helpers, threads - 1, merged.size(), [&](std::size_t i) {
    return scan(merged[i], [&](ScanRange& range) { return range.merged(merged[i]); });
  });
}

// The end of the last slot in the range whose samples retention has dropped, or would have if it did not stay for
// others (slot_list.cc); the range's beginning if there is none.
model::Timestamp dropped_until(const ScanSource& source, model::TimeRange range) {
  model::Timestamp until = range.first;
  if (source.classes != nullptr && source.raw_retention_ms < rollup::kForEver) {
    until =
        std::max(until, model::window_start(source.clock.now_ms() - source.raw_retention_ms, source.chunk_width_ms));
  }
  for_each_raw_slot(*source.view.runs, source.tenant, range, source.chunk_width_ms,
                    [&](const SlotKey& key, const Runs::OfSlot& of_slot) {
                      if (of_slot.mark.dropped) until = std::max(until, key.raw_range(source.chunk_width_ms).last);
                    });
  return std::clamp(until, range.first, range.last);
}

// Since when anything of a series is there, and since when all of it.
struct Alive {
  model::Timestamp some = model::kAllTime.last;
  model::Timestamp all = model::kAllTime.first;
  auto operator<=>(const Alive&) const = default;
};

// Series some of whose groups live shorter than others. Their windows are made of all groups: where some are over,
// samples are read, or, where those are gone, the windows as they are.
Status scan_unlike(const ScanSource& source, const std::vector<Place>& places, const Alive& alive,
                   const storage::ScanOptions& options, TaskPool& helpers, storage::PieceSink& sink) {
  ScanSource samples_only = source;
  samples_only.rollups = nullptr;
  storage::ScanOptions part = options;
  const model::Timestamp all = std::clamp(alive.all, options.range.first, options.range.last);
  const model::Timestamp gone = dropped_until(source, {options.range.first, all});
  const auto read = [&](const ScanSource& from, model::TimeRange range) {
    part.range = range;
    return scan_alike(from, places, part, helpers, sink);
  };
  VARVE_RETURN_IF_ERROR(read(source, {options.range.first, gone}));
  VARVE_RETURN_IF_ERROR(read(samples_only, {gone, all}));
  return read(source, {all, options.range.last});
}

Status scan_all(const ScanSource& source, std::vector<Place> places, const storage::ScanOptions& options,
                TaskPool& helpers, storage::PieceSink& sink) {
  if (std::ranges::all_of(places, [](const Place& place) { return place.ttl_s == 0; })) {
    return scan_alike(source, std::move(places), options, helpers, sink);
  }
  const std::int64_t now_ms = source.clock.now_ms();
  std::map<std::uint32_t, Alive> of_series;
  for (const Place& place : places) {
    Alive& alive = of_series[place.series];
    const model::Timestamp from = shared::alive_from(place.ttl_s, now_ms);
    alive = {std::min(alive.some, from), std::max(alive.all, from)};
  }
  std::map<Alive, std::vector<Place>> alike;
  for (const Place& place : places) alike[of_series.at(place.series)].push_back(place);
  for (auto& [alive, list] : alike) {
    storage::ScanOptions part = options;
    part.range.first = std::max(part.range.first, alive.some);
    if (part.range.empty()) continue;
    VARVE_RETURN_IF_ERROR(alive.some == alive.all ? scan_alike(source, std::move(list), part, helpers, sink)
                                                  : scan_unlike(source, list, alive, part, helpers, sink));
  }
  return {};
}

// Series that are kept alike.
Status scan_kept_alike(const ScanSource& source, std::vector<Place> places, const storage::ScanOptions& options,
                       TaskPool& helpers, storage::PieceSink& sink) {
  if (source.plain.empty()) return scan_all(source, std::move(places), options, helpers, sink);
  const auto plain = std::ranges::partition(places, [&](const Place& p) { return source.plain[p.series] == 0; });
  std::vector<Place> of_plain(plain.begin(), plain.end());
  places.erase(plain.begin(), plain.end());
  ScanSource samples_only = source;
  samples_only.rollups = nullptr;
  VARVE_RETURN_IF_ERROR(scan_all(samples_only, std::move(of_plain), options, helpers, sink));
  return scan_all(source, std::move(places), options, helpers, sink);
}

// With the times of a class instead of the configured ones.
Status scan_class(const ScanSource& source, const rollup::Retention& kept, std::vector<Place> places,
                  const storage::ScanOptions& options, TaskPool& helpers, storage::PieceSink& sink) {
  storage::ScanOptions part = options;
  part.range.first = std::max(part.range.first, shared::kept_from(kept.longest_ms(), source.clock.now_ms()));
  if (part.range.empty()) return {};
  ScanSource own = source;
  own.raw_retention_ms = kept.raw_ms;
  rollup::Levels levels;
  if (source.rollups != nullptr) {
    levels = *source.rollups;
    for (const rollup::Level& level : kept.levels) {
      const auto at = std::ranges::find(levels.levels, level.width_ms, &rollup::Level::width_ms);
      if (at != levels.levels.end()) at->retention_ms = level.retention_ms;
    }
    own.rollups = &levels;
  }
  return scan_kept_alike(own, std::move(places), part, helpers, sink);
}

}  // namespace

Status scan_places(const ScanSource& source, std::vector<Place> places, const storage::ScanOptions& options,
                   TaskPool& helpers, storage::PieceSink& sink) {
  if (source.classes == nullptr) return scan_kept_alike(source, std::move(places), options, helpers, sink);
  std::map<rollup::RetentionClasses::Number, std::vector<Place>> by_class;
  for (const Place& place : places) by_class[place.retention].push_back(place);
  for (auto& [number, of_class] : by_class) {
    const rollup::Retention& kept = source.classes->retention(number);
    VARVE_RETURN_IF_ERROR(scan_class(source, kept, std::move(of_class), options, helpers, sink));
  }
  return {};
}

}  // namespace varve::engine::rocksdb
