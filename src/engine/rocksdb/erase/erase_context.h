// SPDX-License-Identifier: Apache-2.0
// What the parts of an erase share: the store as it was when the batch began, and what is to go.
#pragma once

#include <functional>

#include "base/check.h"
#include "engine/rocksdb/erase/erasure.h"
#include "engine/rocksdb/options.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/run_writer.h"
#include "engine/rocksdb/scan/scan.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {

struct EraseContext {
  const Erasure& erasure;
  model::TimeRange batch;  // of the slots and windows that one commit is about: begins and ends at a window's edge
  std::uint64_t last_run;  // runs above this were written after the erase began, and stay
  std::shared_ptr<const Runs> runs;
  ScanSource source;
  Database& database;
  Database::Draft& draft;  // of the batch
  const Options& options;
  const Catalog& catalog;
  // Between groups. Error: cancelled.
  std::function<Status()> pause;

  // The slot as the erase sees it.
  [[nodiscard]] Runs::OfSlot before(const Runs::OfSlot& slot) const {
    Runs::OfSlot out = slot;
    std::erase_if(out.runs, [this](const auto& run) { return run->key.run > last_run; });
    return out;
  }
};

// Calls each(group, writer) with every chunk of the group added to `gather`, not yet finished; it finishes that and
// writes what stays, if anything does. The old runs and the new one, numbered `number`, go into the commit.
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

}  // namespace varve::engine::rocksdb
