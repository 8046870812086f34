// SPDX-License-Identifier: Apache-2.0
// Sealable: which raw slots are to be rolled up now, and which of them together.
#include <algorithm>
#include <functional>
#include <utility>

#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/level_slots.h"

namespace varve::engine::rocksdb {
namespace {

// Of the level slots that hold what slots give.
std::int64_t widest_level_slot_ms(const Env& env) {
  std::int64_t width = env.chunk_width_ms;
  for (const rollup::Level& level : env.options.rollups.levels) {
    if (level.width_ms > env.chunk_width_ms) break;
    width = std::max(width, level_slot_width_ms(level.width_ms, env.chunk_width_ms));
  }
  return width;
}

// Nothing of it has been sealed before, and nothing keeps it from being sealed.
bool is_new(const JobContext& job, const Runs& runs, const SlotKey& slot) {
  return runs.slots.at(slot).mark == Mark{} &&
         !comes_late(runs, slot, job.env.options.rollups, job.env.chunk_width_ms) &&
         !job.set_aside.holds(slot, kSealOfSlot);
}

// A slot may have been dropped although its time is not over: the clock was wrong then, or raw.retention shorter. What
// has come since stays as samples until its time is over, as all samples do, and is added to the windows then.
bool keeps_samples(const JobContext& job, const SlotKey& slot, std::int64_t now_ms) {
  const model::Timestamp end = slot.raw_range(job.env.chunk_width_ms).last;
  return shared::is_kept(end, job.catalog.kept(slot.tenant).raw_ms, now_ms) == shared::Kept::kept;
}

// The pending slots that share level slots, set after set; `start`: where the level slots begin.
void for_each_set(const JobContext& job, const Runs& runs,
                  const std::function<void(model::Timestamp start, std::span<const SlotKey>)>& each) {
  const std::int64_t width = widest_level_slot_ms(job.env);
  std::vector<SlotKey> all;
  for (const auto& [slot, _] : runs.pending()) all.push_back(slot);
  for (std::span<const SlotKey> rest(all); !rest.empty();) {
    const auto set = next_together(job.env, rest);
    each(model::window_start(set[0].start, width), set);
  }
}

}  // namespace

std::vector<SlotKey> sealable(const JobContext& job, std::int64_t ended_before_ms) {
  const std::int64_t now = job.env.expiry.now_ms();
  const auto current = job.tables.runs();
  std::vector<SlotKey> due;
  for (const auto& [slot, _] : current->pending()) {
    if (slot.raw_range(job.env.chunk_width_ms).last > ended_before_ms || job.set_aside.holds(slot, kSealOfSlot))
      continue;
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    if (of_slot.mark.dropped && keeps_samples(job, slot, now)) continue;
    const bool only_open = of_slot.is_sealed() && !of_slot.mark.open.empty();
    if (only_open && job.set_aside.rests(slot, of_slot.mark.open.size())) continue;
    due.push_back(slot);
  }
  return due;
}

std::span<const SlotKey> next_together(const Env& env, std::span<const SlotKey>& list) {
  const std::int64_t width = widest_level_slot_ms(env);
  const auto place = [width](const SlotKey& slot) {
    return std::pair(slot.tenant, model::window_start(slot.start, width));
  };
  const auto end = std::ranges::find_if(list, [&](const SlotKey& slot) { return place(slot) != place(list[0]); });
  const auto together = list.first(static_cast<std::size_t>(end - list.begin()));
  list = list.subspan(together.size());
  return together;
}

std::vector<SlotKey> quiet_sets(const JobContext& job, std::int64_t ended_before_ms,
                                std::span<const model::Timestamp> in_heads) {
  const std::int64_t width = widest_level_slot_ms(job.env);
  const std::int64_t quiet_before = job.quiet_before_ns();
  const auto current = job.tables.runs();
  const auto is_quiet = [&](const SlotKey& slot) {
    return slot.raw_range(job.env.chunk_width_ms).last <= ended_before_ms &&
           current->slots.at(slot).grown_steady_ns <= quiet_before && is_new(job, *current, slot);
  };
  std::vector<SlotKey> due;
  for_each_set(job, *current, [&](model::Timestamp start, std::span<const SlotKey> set) {
    const auto held = std::ranges::lower_bound(in_heads, start);
    if (held != in_heads.end() && *held < start + width) return;
    if (std::ranges::all_of(set, is_quiet)) due.insert(due.end(), set.begin(), set.end());
  });
  return due;
}

std::vector<SlotKey> growing_sets(const JobContext& job, std::int64_t ended_before_ms) {
  const std::int64_t width = widest_level_slot_ms(job.env);
  const std::int64_t quiet_before = job.quiet_before_ns();
  const auto current = job.tables.runs();
  const auto grows = [&](const SlotKey& slot) { return current->slots.at(slot).grown_steady_ns > quiet_before; };
  std::vector<SlotKey> growing;
  for_each_set(job, *current, [&](model::Timestamp start, std::span<const SlotKey> set) {
    if (start + width > ended_before_ms || std::ranges::none_of(set, grows)) return;
    const bool all_new = std::ranges::all_of(set, [&](const SlotKey& s) { return is_new(job, *current, s); });
    if (all_new) growing.insert(growing.end(), set.begin(), set.end());
  });
  return growing;
}

}  // namespace varve::engine::rocksdb
