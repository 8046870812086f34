// SPDX-License-Identifier: Apache-2.0
// Coarse: granularities wider than a raw slot are made of the next finer one, when their own window has gone quiet.
// A window's mark (stored under its start) says which runs of the finer granularity are in it.
#include <algorithm>
#include <map>

#include "base/check.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/scan/window_reader.h"
#include "engine/rocksdb/settle/rollup_writer.h"
#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {

using rollup::Windows;

// Of the finest granularity that has any: each is made of the one before, so they follow one another.
std::vector<CoarseWindow> coarse_due(const JobContext& job, std::int64_t ended_before_ms) {
  const std::int64_t now = job.env.clock.now_ms();
  const auto current = job.tables.runs();
  std::vector<CoarseWindow> due;
  for (const auto& [slot, window] : current->coarse_pending()) {
    if (slot.start + slot.granularity_ms > ended_before_ms || job.set_aside.holds(slot, kCoarseWindow, now)) continue;
    if (!due.empty() && due.front().slot.granularity_ms < slot.granularity_ms) continue;
    if (!due.empty() && due.front().slot.granularity_ms > slot.granularity_ms) due.clear();
    due.push_back(window);
  }
  return due;
}

// A coarse window is made again when a finer run has a higher content than its mark. Where runs become one, its content
// is the highest of theirs although nothing is new in it: windows that were up to date stay so.
void keep_coarse_fresh(const Env& env, const Runs& current, Database::Commit& commit) {
  std::map<SlotKey, std::uint64_t> contents;
  for (const auto& run : commit.added) {
    for (const auto& [width, finer] : plan_of(env).of_finer_ms) {
      if (run->key.slot.granularity_ms != finer) continue;
      for (auto start = model::window_start(run->first_time, width); start <= run->last_time; start += width) {
        auto& content = contents[{run->key.slot.tenant, width, start}];
        content = std::max(content, run->content);
      }
    }
  }
  for (const auto& [window, content] : contents) {
    const auto known = current.slots.find(window);
    if (known == current.slots.end() || current.coarse_pending().contains(window)) continue;
    Mark mark = known->second.mark;
    if (mark.sealed == 0 || mark.sealed >= content) continue;
    mark.sealed = content;
    commit.marks.emplace_back(window, std::move(mark));
  }
}

namespace {

Status build_coarse(const JobContext& job, const Runs& current, const CoarseWindow& window, RollupWriter& writer,
                    Database::Commit& commit) {
  check(window.finer_ms < window.slot.granularity_ms, "a window is made of finer ones");
  const model::TenantId tenant = window.slot.tenant;
  const std::int64_t width = window.slot.granularity_ms;
  const model::TimeRange range{window.slot.start, window.slot.start + width};
  commit.marks.emplace_back(window.slot, Mark{window.content, false, {}, {}});
  // If a wider window was made of this one, it would be made again of what is left.
  const shared::Lifetimes lifetimes = job.env.lifetimes();
  const bool has_wider = std::ranges::any_of(lifetimes.levels, [&](const rollup::Level& wider) {
    return wider.width_ms > width && has_coarse(current, tenant, wider.width_ms, range.first);
  });
  const auto stored_ms = lifetimes.stored_ms(lifetimes.level_of(width));
  if (!shared::may_make(shared::is_kept(range.last, stored_ms, job.env.clock.now_ms()), !has_wider)) return {};
  RunList finer;
  VARVE_RETURN_IF_ERROR(for_each_level_slot(current, tenant, window.finer_ms, job.env.chunk_width_ms, range,
                                            [&](const Runs::OfSlot& slot) {
                                              finer.insert(finer.end(), slot.runs.begin(), slot.runs.end());
                                              return Status{};
                                            }));
  std::ranges::sort(finer, {}, [](const auto& run) { return run->key.run; });
  VARVE_ASSIGN_OR_RETURN(auto cursors, cursors_of(job.tables.database(), finer));
  shared::Gather gather;
  Windows all;
  Windows made;
  rollup::PartPool texts;
  return for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) -> Status {
    gather.clear();
    for (const RunCursor* cursor : same) VARVE_RETURN_IF_ERROR(gather.add_chunk(cursor->block(), cursor->at()));
    gather.finish();
    all.clear();
    texts.clear();
    VARVE_RETURN_IF_ERROR(to_windows(gather, all, texts));
    std::erase_if(all, [&](const rollup::Window& one) { return !range.contains(one.start); });
    made.clear();
    rollup::coarsen(all, width, made, texts);
    const auto counted = rollup::has_extremes(gather.columns().size()) ? rollup::Kind::gauge : rollup::Kind::counter;
    return writer.add(tenant, width, group, (group & 1) != 0 ? rollup::Kind::text : counted, made);
  });
}

}  // namespace

Status seal_coarse(const JobContext& job, std::span<const CoarseWindow> windows) {
  VARVE_RETURN_IF_ERROR(job.env.step("coarse.begin"));
  Database::Draft draft(job.tables.database());
  RollupWriter writer(draft, job.env.chunk_width_ms, job.tables.numbers());
  Change change{.what = "coarse"};
  const auto current = job.tables.runs();
  auto& marks = change.commit.marks;
  for (const CoarseWindow& window : windows) {
    const std::size_t before = marks.size();
    const Status status = build_coarse(job, *current, window, writer, change.commit);
    if (!status) marks.resize(before);
    if (!status && status.error().code != Code::corrupt) return status;
    if (status) {
      job.set_aside.succeeded(window.slot, kCoarseWindow);
    } else {
      job.set_aside.failed(window.slot, kCoarseWindow, status.error(), job.env.clock.now_ms());
    }
  }
  return commit_rollups(job.tables, writer, std::move(change), draft);
}

}  // namespace varve::engine::rocksdb
