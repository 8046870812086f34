// SPDX-License-Identifier: Apache-2.0
// Merge: the runs of one tenant and slot become one, without line groups whose time to live is over (reclaim.cc).
#include <algorithm>

#include "base/check.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/run_writer.h"
#include "engine/rocksdb/runs/slot_patches.h"
#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {
namespace {

// The mark of a raw slot from which these groups are gone, which share series with others.
Mark mark_without(const Runs::OfSlot& slot, std::span<const std::uint32_t> gone) {
  Mark mark = slot.mark;
  if (mark.sealed == 0 || mark.dropped) return mark;
  mark.open.insert(mark.open.end(), gone.begin(), gone.end());
  std::ranges::sort(mark.open);
  const auto twice = std::ranges::unique(mark.open);
  mark.open.erase(twice.begin(), twice.end());
  return mark;
}

Status merge_runs(const JobContext& job, const SlotKey& slot) {
  // Drawn before the runs are looked at: what a flush adds after that look stands above it.
  const std::uint64_t number = job.tables.numbers().draw();
  VARVE_RETURN_IF_ERROR(job.env.step("merge.begin"));
  const auto current = job.tables.runs();
  const RunList merging = current->slots.at(slot).runs;
  check(!merging.empty(), "a slot that is merged has runs");
  const View nothing{nullptr, nullptr, current, nullptr};
  const ScanSource source = job.tables.source(nothing, slot.tenant);
  SlotPatches patches(source, merging);
  if (slot.granularity_ms == 0) {
    const ReaderLock lock(job.catalog.mutex);
    VARVE_RETURN_IF_ERROR(patches.find(job.tables.database(), merging, job.catalog.shared_groups, job.catalog.index));
  }
  VARVE_ASSIGN_OR_RETURN(auto cursors, cursors_of(job.tables.database(), merging));
  shared::Gather gather;
  Database::Draft draft(job.tables.database());
  RunWriter writer(draft);
  Change change{.what = "merge"};
  writer.start({slot, number}, current->slots.at(slot).content());
  const std::int64_t now_ms = job.env.clock.now_ms();
  bool any_ttl = false;
  {
    const ReaderLock lock(job.catalog.mutex);
    any_ttl = job.catalog.index.has_mortal_groups();
  }
  std::vector<std::uint32_t> gone;  // and share series with others
  VARVE_RETURN_IF_ERROR(
      for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) -> Status {
        if (any_ttl) {
          const ReaderLock lock(job.catalog.mutex);
          if (is_expired(job, slot, group, now_ms)) {
            if (slot.granularity_ms == 0 && job.catalog.shared_groups.contains(group)) gone.push_back(group);
            return {};
          }
        }
        gather.clear();
        for (const RunCursor* cursor : same) VARVE_RETURN_IF_ERROR(gather.add_chunk(cursor->block(), cursor->at()));
        gather.finish(patches.of(group));
        if (slot.granularity_ms == 0) {
          const ReaderLock lock(job.catalog.mutex);
          change.stats.rewritten(job.catalog.index.group_series(model::GroupId{group}), gather);
        }
        return writer.add({model::GroupId{group}, gather.times(), gather.columns()});
      }));
  VARVE_ASSIGN_OR_RETURN(auto run, writer.finish());
  if (run->chunks > 0) change.commit.added = {std::move(run)};
  if (!gone.empty()) change.commit.marks.emplace_back(slot, mark_without(current->slots.at(slot), gone));
  change.commit.removed = merging;
  keep_coarse_fresh(job.env, *current, change.commit);
  return job.tables.commit(std::move(change), draft);
}

}  // namespace

Status merge(const JobContext& job, const SlotKey& slot) {
  Status status = merge_runs(job, slot);
  if (status) job.set_aside.succeeded(slot, kMergeOfSlot);
  if (status || status.error().code != Code::corrupt) return status;
  job.set_aside.failed(slot, kMergeOfSlot, status.error(), job.env.clock.now_ms());
  return {};
}

std::vector<SlotKey> mergeable(const JobContext& job, bool all) {
  const std::int64_t quiet_before = job.env.clock.steady_ns() - job.env.options.merge_quiet_ms * 1'000'000;
  const std::int64_t now = job.env.clock.now_ms();
  const auto current = job.tables.runs();
  std::vector<SlotKey> due;
  for (const auto& [slot, _] : current->fragmented()) {
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    // What is sealed is done but for late samples. A level slot grows with each slot that is sealed, so that making one
    // run of it each time would write its windows a dozen times: it waits until it is full.
    const bool raw = slot.granularity_ms == 0;
    const bool done = raw ? !job.env.options.rollups.levels.empty() && of_slot.is_sealed()
                          : slot.start + level_slot_width_ms(slot.granularity_ms, job.env.chunk_width_ms) <= now;
    const bool quiet = of_slot.grown_steady_ns <= quiet_before && (raw || done);
    const bool due_now = quiet || (raw && done) || of_slot.runs.size() >= job.env.options.runs_per_slot_max;
    if (!all && !due_now) continue;
    if (!job.set_aside.holds(slot, kMergeOfSlot, now)) due.push_back(slot);
  }
  return due;
}

}  // namespace varve::engine::rocksdb
