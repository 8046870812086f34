// SPDX-License-Identifier: Apache-2.0
// Rewrite: the runs of a slot become one, group by group, without what is erased.
#pragma once

#include "engine/rocksdb/erase/erase_context.h"
#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/run_writer.h"
#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {

// Calls each(group, writer) with every chunk of the group added to `gather`, not yet finished; it finishes that and
// writes what stays, if anything does. The old runs and the new one, numbered `number`, go into the commit.
template <class Each>
Status rewrite_runs(const EraseContext& context, const SlotKey& slot, std::uint64_t number, const Runs::OfSlot& of_slot,
                    shared::Gather& gather, Database::Commit& commit, const Each& each) {
  VARVE_TRY(auto cursors, cursors_of(context.database, of_slot.runs));
  RunWriter writer(context.draft);
  writer.start({slot, number}, of_slot.content());
  VARVE_CHECK_OK(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) -> Status {
    VARVE_CHECK_OK(context.pause());
    gather.clear();
    for (const RunCursor* cursor : same) VARVE_CHECK_OK(gather.add_chunk(cursor->block(), cursor->at()));
    return each(group, writer);
  }));
  VARVE_TRY(auto run, writer.finish());
  if (!run->first_groups.empty()) commit.added.push_back(std::move(run));
  commit.removed.insert(commit.removed.end(), of_slot.runs.begin(), of_slot.runs.end());
  return {};
}

}  // namespace varve::engine::rocksdb
