// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/run_merger.h"

#include <utility>

#include "base/check.h"
#include "base/sort_unique.h"
#include "engine/rocksdb/runs/slot_patches.h"

namespace varve::engine::rocksdb {
namespace {

// The mark of a raw slot from which these groups are gone, which share series with others.
Mark mark_without(Mark mark, std::span<const std::uint32_t> gone) {
  if (mark.sealed == 0 || mark.dropped) return mark;
  mark.open.insert(mark.open.end(), gone.begin(), gone.end());
  sort_unique(mark.open);
  return mark;
}

}  // namespace

RunMerger::RunMerger(const JobContext& job, const char* what)
    : job_(job),
      number_(job.tables.numbers().draw()),
      current_(job.tables.runs()),
      nothing_{nullptr, nullptr, current_, nullptr},
      draft_(job.tables.database()),
      writer_(draft_),
      now_ms_(job.env.expiry.now_ms()),
      change_{.what = what} {
  const ReaderLock lock(job.catalog.mutex);
  any_ttl_ = job.catalog.has_early_ends();
}

Status RunMerger::add(const SlotKey& slot, const RunList& merging, const Mark& mark) {
  check(!merging.empty(), "what is merged has runs");
  const ScanSource source = job_.tables.source(nothing_, slot.tenant);
  SlotPatches patches(source, merging);
  if (slot.is_raw()) VARVE_RETURN_IF_ERROR(patches.find(job_.tables.database(), merging, job_.catalog));
  VARVE_ASSIGN_OR_RETURN(auto cursors, cursors_of(job_.tables.database(), merging));
  writer_.start({slot, number_}, content_of(merging));
  gone_.clear();
  VARVE_RETURN_IF_ERROR(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) {
    return add_group(slot, group, same, patches.of(group));
  }));
  VARVE_ASSIGN_OR_RETURN(auto run, writer_.finish());
  if (run->chunks > 0) change_.commit.added.push_back(std::move(run));
  if (!gone_.empty()) set_mark(slot, mark_without(mark, gone_));
  change_.commit.removed.insert(change_.commit.removed.end(), merging.begin(), merging.end());
  return {};
}

Status RunMerger::add_group(const SlotKey& slot, std::uint32_t group, std::span<RunCursor* const> same,
                            std::span<const shared::Gather::Patch> patches) {
  if (any_ttl_ && has_expired(slot, group)) return {};
  const auto series = slot.is_raw() ? series_of(group) : std::span<const model::SeriesId>{};
  if (slot.is_raw() && series.empty()) return {};  // nothing was to be left of it
  gather_.clear();
  for (const RunCursor* cursor : same) VARVE_RETURN_IF_ERROR(gather_.add_chunk(cursor->block(), cursor->at()));
  gather_.finish(patches);
  if (slot.is_raw()) change_.stats.rewritten(series, gather_);
  return writer_.add({model::GroupId{group}, gather_.times(), gather_.columns()});
}

std::span<const model::SeriesId> RunMerger::series_of(std::uint32_t group) const {
  const ReaderLock lock(job_.catalog.mutex);
  return job_.catalog.index.group_series(model::GroupId{group});
}

bool RunMerger::has_expired(const SlotKey& slot, std::uint32_t group) {
  const ReaderLock lock(job_.catalog.mutex);
  if (is_class_over(job_, slot, group, now_ms_)) return true;  // its windows are over, too
  if (!is_expired(job_, slot, group, now_ms_)) return false;
  if (slot.is_raw() && job_.catalog.shared_groups.contains(group)) gone_.push_back(group);
  return true;
}

Status RunMerger::commit() {
  keep_coarse_fresh(job_.env, *current_, change_.commit);
  return job_.tables.commit(std::move(change_), draft_);
}

}  // namespace varve::engine::rocksdb
