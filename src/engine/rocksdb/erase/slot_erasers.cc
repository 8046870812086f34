// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/erase/slot_erasers.h"

#include <algorithm>

#include "base/check.h"
#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/run_reader.h"
#include "engine/rocksdb/runs/run_writer.h"
#include "engine/rocksdb/runs/slot_patches.h"
#include "engine/shared/cells.h"
#include "model/time_ranges.h"

namespace varve::engine::rocksdb {
namespace {

// Calls each(group, writer) after adding all chunks of the group to `gather`; each() finishes the gather and writes
// what remains, if anything does. Adds the old runs, and the new one with this number, to the commit.
template <class Each>
Status rewrite_runs(const EraseContext& context, const SlotKey& slot, std::uint64_t number, const Runs::OfSlot& of_slot,
                    shared::Gather& gather, Database::Commit& commit, const Each& each) {
  check(!of_slot.runs.empty(), "a slot that is rewritten has runs");
  VARVE_ASSIGN_OR_RETURN(auto cursors, cursors_of(context.database, of_slot.runs));
  RunWriter writer(context.draft);
  writer.start({slot, number}, of_slot.content());
  VARVE_RETURN_IF_ERROR(
      for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) -> Status {
        VARVE_RETURN_IF_ERROR(context.pause());
        gather.clear();
        for (const RunCursor* cursor : same) VARVE_RETURN_IF_ERROR(gather.add_chunk(cursor->block(), cursor->at()));
        return each(group, writer);
      }));
  VARVE_ASSIGN_OR_RETURN(auto run, writer.finish());
  if (!run->first_groups.empty()) commit.added.push_back(std::move(run));
  commit.removed.insert(commit.removed.end(), of_slot.runs.begin(), of_slot.runs.end());
  return {};
}

}  // namespace

// --- RawEraser

Status RawEraser::slot(const SlotKey& slot, Database::Commit& commit, storage::EraseReport& report) {
  const Runs::OfSlot before = context_.before(context_.runs->slots.at(slot));
  if (before.runs.empty()) return {};
  const auto& erasure = context_.erasure;
  VARVE_ASSIGN_OR_RETURN(const bool holds, any_holds(context_.source, before.runs, erasure.groups(), erasure.range()));
  if (!holds) return {};
  const std::uint64_t samples = report.samples;
  VARVE_RETURN_IF_ERROR(rewrite(slot, before, commit, report));
  const std::int64_t chunk_width = context_.source.chunk_width_ms;
  const model::TimeRange in = model::both(slot.raw_range(chunk_width), erasure.range());
  for (auto start = model::window_start(in.first, chunk_width); start < in.last; start += chunk_width) {
    touched_.insert(start);
  }
  report.slots += report.samples > samples ? 1 : 0;  // else they had been erased before, and their row stayed
  return {};
}

Status RawEraser::rewrite(const SlotKey& slot, const Runs::OfSlot& before, Database::Commit& commit,
                          storage::EraseReport& report) {
  // Of several runs, one may hold what another one has overwritten: they become one, and what goes is counted once.
  if (before.runs.size() == 1 && editor_.suits(*before.runs[0], context_.erasure.groups())) {
    const auto keep = [&](std::uint32_t group) { return left_of(group, report); };
    return editor_.edit(*before.runs[0], context_.erasure.groups(), gather_, keep, commit);
  }
  SlotPatches patches(context_.source, before.runs);
  VARVE_RETURN_IF_ERROR(patches.find(context_.database, before.runs, context_.catalog));
  return rewrite_runs(context_, slot, number_, before, gather_, commit,
                      [&](std::uint32_t group, RunWriter& writer) -> Status {
                        gather_.finish(patches.of(group));
                        const auto left = left_of(group, report);
                        return left ? writer.add(*left) : Status{};
                      });
}

std::optional<chunk::Fragment> RawEraser::left_of(std::uint32_t group, storage::EraseReport& report) {
  const auto columns = context_.erasure.columns(group);
  if (columns.empty()) {
    note_lost(group, gather_.times(), gather_.columns());
    return chunk::Fragment{model::GroupId{group}, gather_.times(), gather_.columns()};
  }
  cells_.erase_cells(gather_.times(), gather_.columns(), columns, context_.erasure.range());
  report.samples += cells_.erased();
  note_lost(group, cells_.times(), cells_.columns());
  if (cells_.empty()) return std::nullopt;
  return chunk::Fragment{model::GroupId{group}, cells_.times(), cells_.columns()};
}

// What was gathered of the group, less what is written of it.
void RawEraser::note_lost(std::uint32_t group, std::span<const model::Timestamp> times,
                          std::span<const chunk::Column> columns) {
  std::span<const model::SeriesId> series;
  {
    const ReaderLock lock(context_.catalog.mutex);
    series = context_.catalog.index.group_series(model::GroupId{group});
  }
  if (series.empty()) return;  // nothing was to be left of it
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::uint64_t gathered = gather_.cells_gathered(c);
    const std::uint64_t written = times.empty() ? 0 : shared::cells_in(columns[c], times.size());
    if (gathered != written) lost_[model::to_int(series[c])] += gathered - written;
  }
}

// --- LevelEraser

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
  if (std::ranges::all_of(of_slot.runs, [&](const auto& run) { return editor_.suits(*run, groups_); })) {
    const auto keep = [&](std::uint32_t group) { return left_of(slot.granularity_ms, group); };
    for (const auto& run : of_slot.runs) VARVE_RETURN_IF_ERROR(editor_.edit(*run, groups_, gather_, keep, commit));
    return {};
  }
  return rewrite_runs(context_, slot, number_, of_slot, gather_, commit,
                      [&](std::uint32_t group, RunWriter& writer) -> Status {
                        gather_.finish();
                        const auto left = left_of(slot.granularity_ms, group);
                        return left ? writer.add(*left) : Status{};
                      });
}

// Of the windows that were gathered.
std::optional<chunk::Fragment> LevelEraser::left_of(std::int64_t width, std::uint32_t group) {
  if (!context_.erasure.has_series(group / 2)) {
    return chunk::Fragment{model::GroupId{group}, gather_.times(), gather_.columns()};
  }
  cells_.erase_rows(gather_.times(), gather_.columns(),
                    [&](model::Timestamp start) { return goes(width, start, group); });
  if (cells_.empty()) return std::nullopt;
  return chunk::Fragment{model::GroupId{group}, cells_.times(), cells_.columns()};
}

}  // namespace varve::engine::rocksdb
