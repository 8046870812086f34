// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/erase/level_eraser.h"

#include <algorithm>

#include "engine/rocksdb/runs/run_reader.h"

namespace varve::engine::rocksdb {

LevelEraser::LevelEraser(const EraseContext& context, const EdgeWindows& edges, std::uint64_t number)
    : context_(context), edges_(edges), number_(number) {
  for (const std::uint32_t series : context_.erasure.series()) {
    groups_.push_back(rollup::number_group(model::SeriesId{series}));
    groups_.push_back(rollup::text_group(model::SeriesId{series}));
  }
}

bool LevelEraser::goes(std::int64_t width, model::Timestamp start, std::uint32_t group) const {
  if (!context_.batch.contains(start) || !context_.erasure.overlaps(start, width)) return false;
  if (context_.erasure.covers(start, width)) return true;
  // Windows that are no longer configured are read by nobody, and made by nobody.
  const bool known = std::ranges::count(context_.options.rollups.levels, width, &rollup::Level::width_ms) > 0;
  return !known || edges_.goes(width, start, group);
}

model::TimeRange LevelEraser::looked_at(std::int64_t width) const {
  const auto range = context_.erasure.range();
  return {std::max(context_.batch.first, model::window_start(range.first, width)),
          std::min(context_.batch.last, range.last)};
}

Status LevelEraser::slot(const SlotKey& slot, Database::Commit& commit) {
  const Runs::OfSlot& of_slot = context_.runs->slots.at(slot);
  VARVE_ASSIGN_OR_RETURN(const bool holds,
                         any_holds(context_.source, of_slot.runs, groups_, looked_at(slot.granularity_ms)));
  if (!holds) return {};
  return rewrite_runs(
      context_, slot, number_, of_slot, gather_, commit, [&](std::uint32_t group, RunWriter& writer) -> Status {
        gather_.finish();
        if (!context_.erasure.has_series(group / 2)) {
          return writer.add({model::GroupId{group}, gather_.times(), gather_.columns()});
        }
        cells_.erase_rows(gather_.times(), gather_.columns(),
                          [&](model::Timestamp start) { return goes(slot.granularity_ms, start, group); });
        if (cells_.empty()) return {};
        return writer.add({model::GroupId{group}, cells_.times(), cells_.columns()});
      });
}

}  // namespace varve::engine::rocksdb
