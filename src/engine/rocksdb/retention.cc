// SPDX-License-Identifier: Apache-2.0
// Retention: whole slots go when their time is over: raw ones raw.retention after their end, windows after that of
// their granularity. The mark of a raw slot stays as long as windows made of it do: what comes late is then added to
// those.
#include <algorithm>

#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/store_state.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {

// Retentions are days and years: looking once an hour is often enough, and cheap. Short ones are looked after sooner.
bool Store::State::retention_due() const {
  std::int64_t shortest = options.raw_retention_ms;
  for (const auto& level : options.rollups.levels) shortest = std::min(shortest, level.retention_ms);
  const std::int64_t every = std::clamp<std::int64_t>(shortest / 8, 1000, 3'600'000);
  return clock.now_ms() - last_retention_ms >= every;
}

// The longest that anything made of a raw slot is kept.
std::int64_t Store::State::longest_retention_ms() const {
  std::int64_t longest = options.raw_retention_ms;
  for (std::size_t l = 0; l < options.rollups.levels.size(); ++l) {
    longest =
        std::max(longest, shared::stored_for_ms(options.rollups.levels, l, options.raw_retention_ms, chunk_width));
  }
  return longest;
}

// Slots whose runs, or whose mark, have outlived their time.
std::vector<SlotKey> Store::State::expired(const Runs& current) const {
  std::vector<SlotKey> over;
  const std::int64_t now = clock.now_ms();
  for (const auto& [slot, of_slot] : current.slots) {
    if (slot.granularity_ms == 0) {
      const model::Timestamp end = slot.start + chunk_width;
      // Nothing is lost unrolled, unless nobody here ever rolls up.
      const bool made = options.rollups.levels.empty() || !options.rolls_up || of_slot.is_sealed();
      if (!of_slot.runs.empty() && made && shared::is_over(end, options.raw_retention_ms, now)) over.push_back(slot);
      if (of_slot.runs.empty() && shared::is_over(end, longest_retention_ms(), now)) over.push_back(slot);
      continue;
    }
    const auto level = std::ranges::find(options.rollups.levels, slot.granularity_ms, &rollup::Level::width_ms);
    if (level == options.rollups.levels.end()) {
      over.push_back(slot);  // a granularity that is no longer configured
      continue;
    }
    const auto width =
        of_slot.runs.empty() ? slot.granularity_ms : level_slot_width_ms(slot.granularity_ms, chunk_width);
    const auto at = static_cast<std::size_t>(level - options.rollups.levels.begin());
    const auto kept = shared::stored_for_ms(options.rollups.levels, at, options.raw_retention_ms, chunk_width);
    if (shared::is_over(slot.start + width, kept, now)) over.push_back(slot);
  }
  return over;
}

Status Store::State::drop_expired() {
  if (!retention_due()) return {};
  last_retention_ms = clock.now_ms();
  const auto current = runs_now();
  const auto over = expired(*current);
  if (over.empty()) return {};
  VARVE_CHECK_OK(step("retention.begin"));
  const std::int64_t now = clock.now_ms();
  Change change{.what = "retention"};
  Database::Commit& commit = change.commit;
  for (const SlotKey& slot : over) {
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    commit.removed.insert(commit.removed.end(), of_slot.runs.begin(), of_slot.runs.end());
    Mark mark;
    if (slot.granularity_ms == 0 && !options.rollups.levels.empty() &&
        !shared::is_over(slot.start + chunk_width, longest_retention_ms(), now)) {
      mark = of_slot.mark;
      mark.dropped = true;
      mark.open.clear();
    }
    set_aside.forget(slot);
    commit.marks.emplace_back(slot, std::move(mark));
  }
  change.empties_series = !commit.removed.empty();
  Database::Draft nothing(*database);
  return this->commit(std::move(change), nothing);
}

}  // namespace varve::engine::rocksdb
