// SPDX-License-Identifier: Apache-2.0
// Merge: the runs of one tenant and slot become one.
#include <algorithm>

#include "engine/rocksdb/gather.h"
#include "engine/rocksdb/reconcile.h"
#include "engine/rocksdb/run_cursor.h"
#include "engine/rocksdb/run_writer.h"
#include "engine/rocksdb/scan_range.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

// Opens what shares a series with another group and finds where the runs contradict one another.
class SlotPatches {
 public:
  SlotPatches(const ScanSource& source, std::span<const std::shared_ptr<const Run>> runs) {
    for (const auto& run : runs) readers_.emplace_back(source, *run);
  }

  Status find(std::span<const std::uint32_t> groups, const index::SeriesIndex& index) {
    const auto add = [this](SeriesMerge& merge, std::uint32_t group, std::uint16_t column) -> Status {
      return add_column(readers_, group, column, merge);
    };
    VARVE_TRY(patches_, reconcile(index, groups, add));
    return {};
  }

  [[nodiscard]] std::span<const Gather::Patch> of(std::uint32_t group) const {
    const auto at = patches_.find(group);
    return at == patches_.end() ? std::span<const Gather::Patch>{} : std::span(at->second);
  }

 private:
  std::vector<RunReader> readers_;  // keep the blocks that patches point into
  Patches patches_;
};

Result<std::vector<std::uint32_t>> shared_groups_in(const Database& database, const RunList& runs,
                                                    const SharedGroups& shared) {
  std::vector<std::uint32_t> groups;
  VARVE_TRY(auto cursors, cursors_of(database, runs));
  VARVE_CHECK_OK(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>&) -> Status {
    if (shared.contains(group)) groups.push_back(group);
    return {};
  }));
  return groups;
}

}  // namespace

Status Store::State::merge(const SlotKey& slot) {
  Status status = merge_runs(slot);
  if (status) set_aside.succeeded(slot, kMergeOfSlot);
  if (status || status.error().code != Code::corrupt) return status;
  set_aside.failed(slot, kMergeOfSlot, status.error(), clock.now_ms());
  return {};
}

Status Store::State::merge_runs(const SlotKey& slot) {
  const RunList merging = runs->slots.at(slot).runs;
  step("merge.begin");
  const View nothing{nullptr, nullptr, runs, nullptr};
  const ScanSource source{nothing, append_mutex, *database, cache, clock, slot.tenant, chunk_width};
  SlotPatches patches(source, merging);
  if (slot.granularity_ms == 0) {
    const std::shared_lock lock(index_mutex);
    if (shared_groups.any()) {
      VARVE_TRY(const auto groups, shared_groups_in(*database, merging, shared_groups));
      VARVE_CHECK_OK(patches.find(groups, index));
    }
  }
  VARVE_TRY(auto cursors, cursors_of(*database, merging));
  Gather gather;
  RunWriter writer(*database);
  writer.start({slot, checkpoint.next_run}, runs->slots.at(slot).content());
  VARVE_CHECK_OK(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) -> Status {
    gather.clear();
    for (const RunCursor* cursor : same) VARVE_CHECK_OK(gather.add_chunk(cursor->block(), cursor->at()));
    gather.finish(patches.of(group));
    return writer.add({model::GroupId{group}, gather.times(), gather.columns()});
  }));
  Database::Commit commit;
  VARVE_TRY(auto run, writer.finish());
  commit.added = {std::move(run)};
  commit.removed = merging;
  commit.checkpoint = {checkpoint.next_run + 1, checkpoint.first_segment, checkpoint.sequence};
  step("merge.written");
  VARVE_CHECK_OK(database->commit(commit));
  step("merge.committed");
  publish(commit, false);
  step("merge.published");
  return database->erase_blocks(merging);
}

}  // namespace varve::engine::rocksdb
