// SPDX-License-Identifier: Apache-2.0
// Sealable: which raw slots are to be rolled up now, and which of them together.
#include <algorithm>
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

}  // namespace

std::vector<SlotKey> sealable(const JobContext& job, std::int64_t ended_before_ms) {
  const std::int64_t now = job.env.clock.now_ms();
  const auto current = job.tables.runs();
  std::vector<SlotKey> due;
  for (const auto& [slot, _] : current->pending()) {
    if (slot.raw_range(job.env.chunk_width_ms).last > ended_before_ms || job.set_aside.holds(slot, kSealOfSlot, now))
      continue;
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    const bool only_open = of_slot.is_sealed() && !of_slot.mark.open.empty();
    if (only_open && job.set_aside.rests(slot, of_slot.mark.open.size(), now)) continue;
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
  const std::int64_t quiet_before = job.env.clock.steady_ns() - job.env.options.merge_quiet_ms * 1'000'000;
  const std::int64_t now = job.env.clock.now_ms();
  const auto current = job.tables.runs();
  const auto is_quiet = [&](const SlotKey& slot) {
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    return slot.raw_range(job.env.chunk_width_ms).last <= ended_before_ms && of_slot.mark == Mark{} &&
           of_slot.grown_steady_ns <= quiet_before &&
           !comes_late(*current, slot, job.env.options.rollups, job.env.chunk_width_ms) &&
           !job.set_aside.holds(slot, kSealOfSlot, now);
  };
  std::vector<SlotKey> all;
  for (const auto& [slot, _] : current->pending()) all.push_back(slot);
  std::vector<SlotKey> due;
  for (std::span<const SlotKey> rest(all); !rest.empty();) {
    const auto set = next_together(job.env, rest);
    const model::Timestamp start = model::window_start(set[0].start, width);
    const auto held = std::ranges::lower_bound(in_heads, start);
    if (held != in_heads.end() && *held < start + width) continue;
    if (std::ranges::all_of(set, is_quiet)) due.insert(due.end(), set.begin(), set.end());
  }
  return due;
}

}  // namespace varve::engine::rocksdb
