// SPDX-License-Identifier: Apache-2.0
// Coarse: granularities wider than a raw slot are made of the next finer one, when their own window has gone quiet.
// A window's mark (stored under its start) says which runs of the finer granularity are in it.
#include <algorithm>
#include <map>

#include "engine/rocksdb/gather.h"
#include "engine/rocksdb/level_slots.h"
#include "engine/rocksdb/rollup_writer.h"
#include "engine/rocksdb/store_state.h"
#include "engine/rocksdb/window_reader.h"

namespace varve::engine::rocksdb {

using rollup::Windows;

std::vector<CoarseWindow> Store::State::coarse_due(std::int64_t ended_before_ms) const {
  std::vector<CoarseWindow> due;
  const auto& levels = options.rollups.levels;
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const std::int64_t width = levels[l].width_ms;
    const std::int64_t finer = levels[l - 1].width_ms;
    if (width <= chunk_width) continue;
    std::map<std::pair<model::TenantId, model::Timestamp>, CoarseWindow> windows;
    for (const auto& [slot, of_slot] : runs->slots) {
      if (slot.granularity_ms != finer) continue;
      for (const auto& run : of_slot.runs) {
        for (auto start = model::window_start(run->first_time, width); start <= run->last_time; start += width) {
          auto& window = windows[{slot.tenant, start}];
          window.slot = {slot.tenant, width, start};
          window.finer_ms = finer;
          window.content = std::max(window.content, run->content);
        }
      }
    }
    for (const auto& [where, window] : windows) {
      const auto known = runs->slots.find(window.slot);
      if (known != runs->slots.end() && known->second.mark.sealed >= window.content) continue;
      if (window.slot.start + width <= ended_before_ms) due.push_back(window);
    }
  }
  return due;
}

Status Store::State::build_coarse(const CoarseWindow& window, RollupWriter& writer, Database::Commit& commit) {
  const model::TenantId tenant = window.slot.tenant;
  const std::int64_t width = window.slot.granularity_ms;
  const model::TimeRange range{window.slot.start, window.slot.start + width};
  RunList finer;
  VARVE_CHECK_OK(for_each_level_slot(*runs, tenant, window.finer_ms, chunk_width, range, [&](const Runs::OfSlot& slot) {
    finer.insert(finer.end(), slot.runs.begin(), slot.runs.end());
    return Status{};
  }));
  std::ranges::sort(finer, {}, [](const auto& run) { return run->key.run; });
  VARVE_TRY(auto cursors, cursors_of(*database, finer));
  Gather gather;
  Windows all;
  Windows made;
  VARVE_CHECK_OK(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) -> Status {
    gather.clear();
    for (const RunCursor* cursor : same) VARVE_CHECK_OK(gather.add_chunk(cursor->block(), cursor->at()));
    gather.finish();
    all.clear();
    VARVE_CHECK_OK(to_windows(gather, all));
    std::erase_if(all, [&](const rollup::Window& one) { return !range.contains(one.start); });
    made.clear();
    rollup::coarsen(all, width, made);
    const auto counted = gather.columns().size() == rollup::columns_of(rollup::Kind::gauge) ? rollup::Kind::gauge
                                                                                            : rollup::Kind::counter;
    return writer.add(tenant, width, group, (group & 1) != 0 ? rollup::Kind::text : counted, made);
  }));
  commit.marks.emplace_back(window.slot, Mark{window.content, false, {}});
  return {};
}

Status Store::State::seal_coarse(std::span<const CoarseWindow> windows) {
  step("coarse.begin");
  RollupWriter writer(*database, chunk_width, checkpoint.next_run);
  Database::Commit commit;
  for (const CoarseWindow& window : windows) VARVE_CHECK_OK(build_coarse(window, writer, commit));
  return commit_rollups(writer, commit, 0);
}

}  // namespace varve::engine::rocksdb
