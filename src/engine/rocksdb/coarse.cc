// SPDX-License-Identifier: Apache-2.0
// Coarse: granularities wider than a raw slot are made of the next finer one, when their own window has gone quiet.
// A window's mark (stored under its start) says which runs of the finer granularity are in it.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

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
  const auto current = job.tables.runs();
  std::vector<CoarseWindow> due;
  for (const auto& [slot, window] : current->coarse_pending()) {
    if (slot.start + slot.granularity_ms > ended_before_ms || job.set_aside.holds(slot, kCoarseWindow)) continue;
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

constexpr std::size_t kFinerRunsMax = 256;  // read side by side

// Is the window to be made? Not if it is over already; nor if a wider one was made of it, which would be made again of
// what is left.
bool is_to_be_made(const JobContext& job, const Runs& current, const SlotKey& window) {
  const shared::Lifetimes lifetimes = job.env.lifetimes(job.catalog.kept(window.tenant));
  const std::int64_t width = window.granularity_ms;
  const bool has_wider = std::ranges::any_of(lifetimes.levels, [&](const rollup::Level& wider) {
    return wider.width_ms > width && has_coarse(current, window.tenant, wider.width_ms, window.start);
  });
  const auto stored_ms = lifetimes.stored_ms(lifetimes.level_of(width));
  return shared::may_make(shared::is_kept(window.start + width, stored_ms, job.env.expiry.now_ms()), !has_wider);
}

// Windows of one tenant and granularity in one level slot are made together, group by group: what they are made of is
// read once, and what is made of a few groups can be written before the next ones are read. One thread.
class CoarseMaker {
 public:
  CoarseMaker(const JobContext& job, const Runs& current, RollupWriter& writer, Database::Commit& commit)
      : job_(job), current_(current), writer_(writer), commit_(commit) {}

  // How many of the first windows of a list, which is not empty, may be made together.
  [[nodiscard]] std::size_t count_together(std::span<const CoarseWindow> list) const;
  // Adds their marks. A window that is made of something damaged is set aside instead.
  Status make(std::span<const CoarseWindow> together);

 private:
  // Adds the runs that a window is made of; ascending by number, each once.
  void add_finer(const CoarseWindow& window, RunList& runs) const;
  Status build(std::span<const CoarseWindow> together);
  Status add(std::uint32_t group, const std::vector<RunCursor*>& chunks, const SlotKey& first,
             std::span<const model::Timestamp> starts);

  const JobContext& job_;
  const Runs& current_;
  RollupWriter& writer_;
  Database::Commit& commit_;
  shared::Gather gather_;
  Windows all_, made_;
  rollup::PartPool parts_;
};

void CoarseMaker::add_finer(const CoarseWindow& window, RunList& runs) const {
  const model::Timestamp first = window.slot.start;
  const Status listed =
      for_each_level_slot(current_, window.slot.tenant, window.finer_ms, job_.env.chunk_width_ms,
                          {first, first + window.slot.granularity_ms}, [&runs](const Runs::OfSlot& slot) -> Status {
                            runs.insert(runs.end(), slot.runs.begin(), slot.runs.end());
                            return {};
                          });
  check(listed.has_value(), "runs are listed without reading anything");
  std::ranges::sort(runs, {}, [](const auto& run) { return std::pair(run->key.run, run->key.slot); });
  const auto repeated = std::ranges::unique(runs);
  runs.erase(repeated.begin(), repeated.end());
}

std::size_t CoarseMaker::count_together(std::span<const CoarseWindow> list) const {
  const auto level_slot = [this](const CoarseWindow& window) {
    const auto width = level_slot_width_ms(window.slot.granularity_ms, job_.env.chunk_width_ms);
    const auto start = model::window_start(window.slot.start, width);
    return std::tuple(window.slot.tenant, window.slot.granularity_ms, window.finer_ms, start);
  };
  RunList runs;
  std::size_t count = 0;
  for (; count < list.size() && level_slot(list[count]) == level_slot(list[0]); ++count) {
    add_finer(list[count], runs);
    if (runs.size() > kFinerRunsMax) break;
  }
  return std::max<std::size_t>(count, 1);
}

Status CoarseMaker::make(std::span<const CoarseWindow> together) {
  const Status status = build(together);
  if (!status && status.error().code != Code::corrupt) return status;
  if (!status && together.size() > 1) {
    for (std::size_t i = 0; i < together.size(); ++i) VARVE_RETURN_IF_ERROR(make(together.subspan(i, 1)));
    return {};
  }
  for (const CoarseWindow& window : together) {
    if (!status) {
      job_.set_aside.failed(window.slot, kCoarseWindow, status.error());
      continue;
    }
    job_.set_aside.succeeded(window.slot, kCoarseWindow);
    commit_.marks.emplace_back(window.slot, Mark{window.content, false, {}, {}});
  }
  return {};
}

Status CoarseMaker::build(std::span<const CoarseWindow> together) {
  RunList finer;
  std::vector<model::Timestamp> starts;
  for (const CoarseWindow& window : together) {
    check(window.finer_ms < window.slot.granularity_ms, "a window is made of finer ones");
    if (!is_to_be_made(job_, current_, window.slot)) continue;
    add_finer(window, finer);
    starts.push_back(window.slot.start);
  }
  check(std::ranges::is_sorted(starts), "windows that are due ascend");
  VARVE_ASSIGN_OR_RETURN(auto cursors, cursors_of(job_.tables.database(), finer));
  return for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& chunks) {
    return add(group, chunks, together[0].slot, starts);
  });
}

// What `starts` says of a group's windows.
Status CoarseMaker::add(std::uint32_t group, const std::vector<RunCursor*>& chunks, const SlotKey& first,
                        std::span<const model::Timestamp> starts) {
  gather_.clear();
  for (const RunCursor* cursor : chunks) VARVE_RETURN_IF_ERROR(gather_.add_chunk(cursor->block(), cursor->at()));
  gather_.finish();
  all_.clear();
  parts_.clear();
  VARVE_RETURN_IF_ERROR(to_windows(gather_, all_, parts_));
  const std::int64_t width = first.granularity_ms;
  std::erase_if(all_, [&](const rollup::Window& one) {
    return !std::ranges::binary_search(starts, model::window_start(one.start, width));
  });
  made_.clear();
  rollup::coarsen(all_, width, made_, parts_);
  const auto counted = rollup::has_extremes(gather_.columns().size()) ? rollup::Kind::gauge : rollup::Kind::counter;
  const auto kind = (group & 1) != 0 ? rollup::Kind::text : counted;
  VARVE_RETURN_IF_ERROR(writer_.add(first.tenant, width, group, kind, made_));
  return writer_.complete();
}

}  // namespace

Status seal_coarse(const JobContext& job, std::span<const CoarseWindow> windows) {
  VARVE_RETURN_IF_ERROR(job.env.step("coarse.begin"));
  Database::Draft draft(job.tables.database());
  RollupWriter writer(draft, job.env.chunk_width_ms, job.tables.numbers());
  Change change{.what = "coarse"};
  const auto current = job.tables.runs();
  CoarseMaker maker(job, *current, writer, change.commit);
  while (!windows.empty()) {
    const auto together = windows.first(maker.count_together(windows));
    VARVE_RETURN_IF_ERROR(maker.make(together));
    windows = windows.subspan(together.size());
  }
  return commit_rollups(job.tables, writer, std::move(change), draft);
}

}  // namespace varve::engine::rocksdb
