// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/erase/raw_eraser.h"

#include "engine/rocksdb/runs/run_reader.h"
#include "engine/rocksdb/runs/slot_patches.h"
#include "engine/shared/cells.h"

namespace varve::engine::rocksdb {

Status RawEraser::slot(const SlotKey& slot, Database::Commit& commit, storage::EraseReport& report) {
  const Runs::OfSlot before = context_.before(context_.runs->slots.at(slot));
  if (before.runs.empty()) return {};
  const auto& erasure = context_.erasure;
  VARVE_ASSIGN_OR_RETURN(const bool holds, any_holds(context_.source, before.runs, erasure.groups(), erasure.range()));
  if (!holds) return {};
  const std::uint64_t samples = report.samples;
  VARVE_RETURN_IF_ERROR(rewrite(slot, before, commit, report));
  touched_.insert(slot.start);
  report.slots += report.samples > samples ? 1 : 0;  // else they had been erased before, and their row stayed
  return {};
}

Status RawEraser::rewrite(const SlotKey& slot, const Runs::OfSlot& before, Database::Commit& commit,
                          storage::EraseReport& report) {
  SlotPatches patches(context_.source, before.runs);
  {
    const ReaderLock lock(context_.catalog.mutex);
    VARVE_RETURN_IF_ERROR(
        patches.find(context_.database, before.runs, context_.catalog.shared_groups, context_.catalog.index));
  }
  return rewrite_runs(context_, slot, number_, before, gather_, commit,
                      [&](std::uint32_t group, RunWriter& writer) -> Status {
                        gather_.finish(patches.of(group));
                        const auto columns = context_.erasure.columns(group);
                        if (columns.empty()) {
                          note_lost(group, gather_.times(), gather_.columns());
                          return writer.add({model::GroupId{group}, gather_.times(), gather_.columns()});
                        }
                        cells_.erase_cells(gather_.times(), gather_.columns(), columns, context_.erasure.range());
                        report.samples += cells_.erased();
                        note_lost(group, cells_.times(), cells_.columns());
                        if (cells_.empty()) return {};
                        return writer.add({model::GroupId{group}, cells_.times(), cells_.columns()});
                      });
}

// What was gathered of the group, less what is written of it.
void RawEraser::note_lost(std::uint32_t group, std::span<const model::Timestamp> times,
                          std::span<const chunk::Column> columns) {
  std::span<const model::SeriesId> series;
  {
    const ReaderLock lock(context_.catalog.mutex);
    series = context_.catalog.index.group_series(model::GroupId{group});
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::uint64_t gathered = gather_.cells_gathered(c);
    const std::uint64_t written = times.empty() ? 0 : shared::cells_in(columns[c], times.size());
    if (gathered != written) lost_[model::to_int(series[c])] += gathered - written;
  }
}

}  // namespace varve::engine::rocksdb
