// SPDX-License-Identifier: Apache-2.0
// Merge: the runs of one tenant and slot become one, without line groups whose time to live is over (reclaim.cc).
// Several slots share a commit.
#include <algorithm>

#include "base/check.h"
#include "engine/rocksdb/commit_size.h"
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

// Merges several slots with one commit. For one thread.
class Merging {
 public:
  // The number is drawn before the runs are looked at: what a flush adds after that look stands above it.
  explicit Merging(const JobContext& job)
      : job_(job),
        number_(job.tables.numbers().draw()),
        current_(job.tables.runs()),
        nothing_{nullptr, nullptr, current_, nullptr},
        draft_(job.tables.database()),
        writer_(draft_),
        now_ms_(job.env.clock.now_ms()) {
    const ReaderLock lock(job.catalog.mutex);
    any_ttl_ = job.catalog.index.has_mortal_groups();
  }

  // After an error nothing of it may be committed.
  Status add(const SlotKey& slot);
  Status commit();

 private:
  Status add_group(const SlotKey& slot, std::uint32_t group, std::span<RunCursor* const> same,
                   std::span<const shared::Gather::Patch> patches);
  bool has_expired(const SlotKey& slot, std::uint32_t group);

  const JobContext& job_;
  const std::uint64_t number_;
  const std::shared_ptr<const Runs> current_;
  const View nothing_;
  Database::Draft draft_;
  RunWriter writer_;
  const std::int64_t now_ms_;
  bool any_ttl_ = false;
  shared::Gather gather_;
  std::vector<std::uint32_t> gone_;  // of the current slot; and share series with others
  Change change_{.what = "merge"};
};

Status Merging::add(const SlotKey& slot) {
  const Runs::OfSlot& of_slot = current_->slots.at(slot);
  const RunList& merging = of_slot.runs;
  check(!merging.empty(), "a slot that is merged has runs");
  const ScanSource source = job_.tables.source(nothing_, slot.tenant);
  SlotPatches patches(source, merging);
  if (slot.granularity_ms == 0) {
    const ReaderLock lock(job_.catalog.mutex);
    VARVE_RETURN_IF_ERROR(
        patches.find(job_.tables.database(), merging, job_.catalog.shared_groups, job_.catalog.index));
  }
  VARVE_ASSIGN_OR_RETURN(auto cursors, cursors_of(job_.tables.database(), merging));
  writer_.start({slot, number_}, of_slot.content());
  gone_.clear();
  VARVE_RETURN_IF_ERROR(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) {
    return add_group(slot, group, same, patches.of(group));
  }));
  VARVE_ASSIGN_OR_RETURN(auto run, writer_.finish());
  if (run->chunks > 0) change_.commit.added.push_back(std::move(run));
  if (!gone_.empty()) change_.commit.marks.emplace_back(slot, mark_without(of_slot, gone_));
  change_.commit.removed.insert(change_.commit.removed.end(), merging.begin(), merging.end());
  return {};
}

Status Merging::add_group(const SlotKey& slot, std::uint32_t group, std::span<RunCursor* const> same,
                          std::span<const shared::Gather::Patch> patches) {
  if (any_ttl_ && has_expired(slot, group)) return {};
  gather_.clear();
  for (const RunCursor* cursor : same) VARVE_RETURN_IF_ERROR(gather_.add_chunk(cursor->block(), cursor->at()));
  gather_.finish(patches);
  if (slot.granularity_ms == 0) {
    const ReaderLock lock(job_.catalog.mutex);
    change_.stats.rewritten(job_.catalog.index.group_series(model::GroupId{group}), gather_);
  }
  return writer_.add({model::GroupId{group}, gather_.times(), gather_.columns()});
}

bool Merging::has_expired(const SlotKey& slot, std::uint32_t group) {
  const ReaderLock lock(job_.catalog.mutex);
  if (!is_expired(job_, slot, group, now_ms_)) return false;
  if (slot.granularity_ms == 0 && job_.catalog.shared_groups.contains(group)) gone_.push_back(group);
  return true;
}

Status Merging::commit() {
  keep_coarse_fresh(job_.env, *current_, change_.commit);
  return job_.tables.commit(std::move(change_), draft_);
}

}  // namespace

Status merge(const JobContext& job, std::span<const SlotKey> slots) {
  return without_damaged(job, slots, kMergeOfSlot, [&](std::span<const SlotKey> sound, SlotKey& at) -> Status {
    VARVE_RETURN_IF_ERROR(job.env.step("merge.begin"));
    Merging merging(job);
    for (const SlotKey& slot : sound) {
      at = slot;
      VARVE_RETURN_IF_ERROR(merging.add(slot));
    }
    return merging.commit();
  });
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
