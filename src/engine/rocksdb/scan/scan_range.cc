// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/scan_range.h"

#include <algorithm>
#include <tuple>

#include "model/time_ranges.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kCapturedUnderLock = 256;  // appends wait while the head's rows of so many series are listed

}  // namespace

Status ScanRange::interrupted(const ScanSource& source, const storage::ScanOptions& options) {
  if (options.cancelled != nullptr && options.cancelled->load(std::memory_order_relaxed)) {
    return fail(Code::cancelled, "the query was cancelled");
  }
  if (options.deadline_steady_ns != 0 && source.clock.steady_ns() > options.deadline_steady_ns) {
    return fail(Code::timeout, "the query took longer than query.timeout allows");
  }
  return {};
}

void ScanRange::capture(const Head& head, bool immutable, std::uint32_t group) {
  for (const auto* at = head.fragments(model::GroupId{group}); at != nullptr; at = at->next) {
    if (at->first_time() >= options_.range.last || at->last_time() < options_.range.first) continue;
    const auto first = static_cast<std::uint32_t>(pieces_.size());
    head.pieces(*at, pieces_);
    const auto slot = slots_.in({at->slot, at->slot + 1});
    if (slot.empty()) continue;  // it came after the list was made
    parts_.push_back({slot[0].start, group, immutable, first, static_cast<std::uint32_t>(pieces_.size()) - first});
  }
}

void ScanRange::capture(std::span<const Place> places) {
  const auto all = [&](const Head& head, bool immutable) {
    std::uint32_t before = model::to_int(model::kNoGroup);
    for (auto rest = places; !rest.empty(); rest = rest.subspan(std::min(kCapturedUnderLock, rest.size()))) {
      const MutexLock lock(head.mutex);
      for (const Place& place : rest.first(std::min(kCapturedUnderLock, rest.size()))) {
        if (place.group != before) capture(head, immutable, place.group);
        before = place.group;
      }
    }
  };
  if (source_.view.immutable) all(*source_.view.immutable, true);
  if (source_.view.head) all(*source_.view.head, false);
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
    return std::tuple(a.slot, a.group, !a.immutable) < std::tuple(b.slot, b.group, !b.immutable);
  });
}

std::span<const ScanRange::Part> ScanRange::parts_of(model::Timestamp slot) const {
  const auto range = std::ranges::equal_range(parts_, slot, {}, &Part::slot);
  return {range.begin(), range.end()};
}

Status ScanRange::groups(std::span<const Place> places) {
  capture(places);
  for (const auto& each : slots_.in(options_.range)) VARVE_RETURN_IF_ERROR(slot(each, places));
  return {};
}

Status ScanRange::slot(const SlotList::Slot& slot, std::span<const Place> places) {
  std::vector<RunReader> runs;
  runs.reserve(slot.runs.size());
  for (const Run* run : slot.runs) runs.emplace_back(source_, *run);
  auto parts = parts_of(slot.start);
  range_ = model::both(options_.range, {slot.start, slot.end});
  emitter_.set_range(range_);
  if (runs.empty() && parts.empty()) return {};
  unsigned looked = 0;
  while (!places.empty()) {
    std::size_t columns = 1;
    while (columns < places.size() && places[columns].group == places[0].group) ++columns;
    const std::uint32_t number = places[0].group;
    while (!parts.empty() && parts[0].group < number) parts = parts.subspan(1);
    std::size_t of_group = 0;
    while (of_group < parts.size() && parts[of_group].group == number) ++of_group;
    VARVE_RETURN_IF_ERROR(group(runs, parts.first(of_group), places.first(columns)));
    places = places.subspan(columns);
    if ((looked++ & 15) == 0) VARVE_RETURN_IF_ERROR(interrupted(source_, options_));
  }
  return {};
}

Status ScanRange::group(std::vector<RunReader>& runs, std::span<const Part> parts, std::span<const Place> places) {
  columns_.clear();
  for (const Place& place : places) columns_.push_back(place.column);
  gather_.clear(columns_, range_);
  VARVE_ASSIGN_OR_RETURN(const FoundChunks found, find_chunks(runs, places[0].group, gather_));
  // As long as there is but one chunk, it is not gathered: its statistics may do.
  if (found.count == 1 && parts.empty()) {
    if (!emitter_.start_chunk(*found.block, found.at)) return {};
    for (const Place& place : places) VARVE_RETURN_IF_ERROR(emitter_.chunk_column(place.series, place.column));
    return {};
  }
  if (found.count == 1) VARVE_RETURN_IF_ERROR(gather_.add_chunk(*found.block, found.at));
  if (found.count == 0 && parts.empty()) return {};
  for (const Part& part : parts) {
    for (const auto& rows : pieces(part)) gather_.add_rows(rows, shared::RowForm::with_arrival);
  }
  if (gather_.empty()) return {};
  gather_.finish();
  for (std::size_t c = 0; c < places.size(); ++c) {
    VARVE_RETURN_IF_ERROR(emitter_.emit(places[c].series, gather_.times(), gather_.columns()[c]));
  }
  return {};
}

Status ScanRange::merged(std::span<const Place> places) {
  std::vector<Place> by_group(places.begin(), places.end());
  std::ranges::sort(by_group, {}, &Place::group);
  const std::int64_t now_ms = source_.clock.now_ms();
  capture(by_group);
  for (const auto& slot : slots_.in(options_.range)) {
    VARVE_RETURN_IF_ERROR(interrupted(source_, options_));
    std::vector<RunReader> runs;
    runs.reserve(slot.runs.size());
    for (const Run* run : slot.runs) runs.emplace_back(source_, *run);
    const model::TimeRange range = model::both(options_.range, {slot.start, slot.end});
    merge_.clear(range);
    for (const Place& place : by_group) {
      merge_.live(place.ttl_s, shared::alive_from(place.ttl_s, now_ms));
      VARVE_RETURN_IF_ERROR(add_column(runs, place.group, place.column, merge_));
      for (const Part& part : parts_of(slot.start)) {
        if (part.group != place.group) continue;
        for (const auto& rows : pieces(part))
          merge_.add_rows(rows, shared::RowForm::with_arrival, place.column,
                          part.immutable ? kImmutableRank : kHeadRank);
      }
    }
    emitter_.set_range(range);
    VARVE_RETURN_IF_ERROR(emitter_.emit(places[0].series, merge_));
  }
  return {};
}

}  // namespace varve::engine::rocksdb
