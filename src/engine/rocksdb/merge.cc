// SPDX-License-Identifier: Apache-2.0
// Merge: the runs of one tenant and slot become one, without line groups whose time to live is over (reclaim.cc).
#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/run_writer.h"
#include "engine/rocksdb/runs/slot_patches.h"
#include "engine/rocksdb/store_state.h"
#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {

Status Store::State::merge(const SlotKey& slot) {
  Status status = merge_runs(slot);
  if (status) set_aside.succeeded(slot, kMergeOfSlot);
  if (status || status.error().code != Code::corrupt) return status;
  set_aside.failed(slot, kMergeOfSlot, status.error(), clock.now_ms());
  return {};
}

Status Store::State::merge_runs(const SlotKey& slot) {
  // Drawn before the runs are looked at: what a flush adds after that look stands above it.
  const std::uint64_t number = numbers.draw();
  VARVE_CHECK_OK(step("merge.begin"));
  const auto current = runs_now();
  const RunList merging = current->slots.at(slot).runs;
  const View nothing{nullptr, nullptr, current, nullptr};
  const ScanSource source{nothing, append_mutex, *database, cache, clock, slot.tenant, chunk_width};
  SlotPatches patches(source, merging);
  if (slot.granularity_ms == 0) {
    const std::shared_lock lock(index_mutex);
    VARVE_CHECK_OK(patches.find(*database, merging, shared_groups, index));
  }
  VARVE_TRY(auto cursors, cursors_of(*database, merging));
  shared::Gather gather;
  Database::Draft draft(*database);
  RunWriter writer(draft);
  Change change{.what = "merge"};
  writer.start({slot, number}, current->slots.at(slot).content());
  const std::int64_t now_ms = clock.now_ms();
  bool mortals = false;
  {
    const std::shared_lock lock(index_mutex);
    mortals = index.has_mortal_groups();
  }
  std::vector<std::uint32_t> gone;  // and share series with others
  VARVE_CHECK_OK(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) -> Status {
    if (mortals) {
      const std::shared_lock lock(index_mutex);
      if (is_dead(slot, group, now_ms)) {
        if (slot.granularity_ms == 0 && shared_groups.contains(group)) gone.push_back(group);
        return {};
      }
    }
    gather.clear();
    for (const RunCursor* cursor : same) VARVE_CHECK_OK(gather.add_chunk(cursor->block(), cursor->at()));
    gather.finish(patches.of(group));
    if (slot.granularity_ms == 0) {
      const std::shared_lock lock(index_mutex);
      change.lives.rewritten(index.group_series(model::GroupId{group}), gather);
    }
    return writer.add({model::GroupId{group}, gather.times(), gather.columns()});
  }));
  VARVE_TRY(auto run, writer.finish());
  if (run->chunks > 0) change.commit.added = {std::move(run)};
  if (!gone.empty()) change.commit.marks.emplace_back(slot, mark_without(current->slots.at(slot), gone));
  change.commit.removed = merging;
  keep_coarse_fresh(*current, change.commit);
  return commit(std::move(change), draft);
}

}  // namespace varve::engine::rocksdb
