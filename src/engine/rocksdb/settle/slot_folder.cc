// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/slot_folder.h"

namespace varve::engine::rocksdb {

SlotFolder::SlotFolder(const ScanSource& source, const Runs::OfSlot& slot, std::int64_t width_ms,
                       model::TimeRange except)
    : now_ms_(source.clock.now_ms()), folder_(width_ms, except) {
  for (const auto& run : slot.runs) readers_.emplace_back(source, *run);
}

Status SlotFolder::group(std::uint32_t group, std::span<const model::SeriesId> series, const CounterOf& counter_of,
                         const Out& out) {
  gather_.clear();
  folder_.start_group();
  VARVE_ASSIGN_OR_RETURN(const FoundChunks found, find_chunks(readers_, group, gather_));
  if (found.count == 0) return {};
  if (found.count == 1) {
    VARVE_RETURN_IF_ERROR(found.block->times(found.at, times_));
    for (std::size_t c = 0; c < series.size(); ++c) {
      VARVE_RETURN_IF_ERROR(found.block->column(found.at, c, column_));
      folder_.fold(times_, column_, counter_of(series[c]));
      VARVE_RETURN_IF_ERROR(give(series[c], out));
    }
    return {};
  }
  gather_.finish();
  for (std::size_t c = 0; c < series.size(); ++c) {
    folder_.fold(gather_.times(), gather_.columns()[c], counter_of(series[c]));
    VARVE_RETURN_IF_ERROR(give(series[c], out));
  }
  return {};
}

Status SlotFolder::series(model::SeriesId series, const Catalog& catalog, const CounterOf& counter_of, const Out& out) {
  if (!merged_.insert(model::to_int(series)).second) return {};
  {
    const ReaderLock lock(catalog.mutex);
    catalog.index.places(series, places_);
  }
  merge_.clear();
  folder_.start_group();
  for (const index::Place& place : places_) {
    merge_.live(place.ttl_s, shared::alive_from(place.ttl_s, now_ms_));
    VARVE_RETURN_IF_ERROR(add_column(readers_, model::to_int(place.group), place.column, merge_));
  }
  chunk::Column column;
  merge_.winners(times_, column);
  folder_.fold(times_, column, counter_of(series));
  return give(series, out);
}

Status SlotFolder::give(model::SeriesId series, const Out& out) {
  VARVE_RETURN_IF_ERROR(out(series, false, folder_.numbers()));
  return out(series, true, folder_.texts());
}

}  // namespace varve::engine::rocksdb
