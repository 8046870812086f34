// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/missing_windows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/rocksdb/runs/level_slots.h"
#include "engine/shared/stored_for.h"
#include "model/time_ranges.h"

namespace varve::engine::rocksdb {
namespace {

bool any_in(const Runs& runs, const SlotKey& level_slot, model::TimeRange range) {
  const auto found = runs.slots.find(level_slot);
  return found != runs.slots.end() && std::ranges::any_of(found->second.runs, [&](const auto& run) {
           return run->first_time < range.last && run->last_time >= range.first;
         });
}

// Are there no windows where the first or the last sample of the run is, as far as they are stored together? Between
// them there may be days without a sample.
bool lacks_windows(const Env& env, const shared::Lifetimes& lifetimes, const Runs& runs, const SlotKey& slot,
                   const Run& run, std::size_t level) {
  const std::int64_t now = env.expiry.now_ms();
  const std::int64_t width = lifetimes.levels[level].width_ms;
  const std::int64_t together = level_slot_width_ms(width, env.chunk_width_ms);
  const model::TimeRange held{model::window_start(run.first_time, width), run.last_time + 1};
  for (const model::Timestamp time : {run.first_time, run.last_time}) {
    const model::Timestamp start = model::window_start(time, together);
    if (shared::is_over(start + together, lifetimes.stored_ms(level), now)) continue;
    if (!any_in(runs, {slot.tenant, width, start}, model::both(held, {start, start + together}))) return true;
  }
  return false;
}

}  // namespace

void unmark_missing_windows(const Env& env, Runs& runs) {
  const auto& levels = env.options.rollups.levels;
  const rollup::Retention shortest = env.classes.shortest();  // whosever they are, younger ones are not over
  const shared::Lifetimes lifetimes = env.lifetimes(shortest);
  std::vector<std::pair<SlotKey, Mark>> changed;
  for (const auto& [slot, of_slot] : runs.slots) {
    if (!slot.is_raw() || of_slot.mark.dropped || of_slot.mark.granularities_ms.empty()) continue;
    Mark mark = of_slot.mark;
    for (std::size_t level = 0; level < levels.size() && levels[level].width_ms <= env.chunk_width_ms; ++level) {
      if (!std::ranges::binary_search(mark.granularities_ms, levels[level].width_ms)) continue;
      const bool lacks = std::ranges::any_of(of_slot.runs, [&](const auto& run) {
        return run->content <= mark.sealed && lacks_windows(env, lifetimes, runs, slot, *run, level);
      });
      if (lacks) std::erase(mark.granularities_ms, levels[level].width_ms);
    }
    if (mark != of_slot.mark) changed.emplace_back(slot, std::move(mark));
  }
  for (auto& [slot, mark] : changed) runs.set_mark(slot, std::move(mark));
}

}  // namespace varve::engine::rocksdb
