// SPDX-License-Identifier: Apache-2.0
// Retention: whole slots go when their time is over: raw ones raw.retention after their end, windows after that of
// their granularity. The mark of a raw slot stays as long as windows made of it do: what comes late is then added to
// those.
#include <algorithm>

#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {
namespace {

// The longest that anything made of a raw slot is kept.
std::int64_t longest_retention_ms(const Env& env) {
  std::int64_t longest = env.options.raw_retention_ms;
  for (std::size_t l = 0; l < env.options.rollups.levels.size(); ++l) {
    longest = std::max(longest, shared::stored_for_ms(env.options.rollups.levels, l, env.options.raw_retention_ms,
                                                      env.chunk_width_ms));
  }
  return longest;
}

// Slots whose runs, or whose mark, have outlived their time.
std::vector<SlotKey> expired(const JobContext& job, const Runs& current) {
  std::vector<SlotKey> over;
  const std::int64_t now = job.env.clock.now_ms();
  for (const auto& [slot, of_slot] : current.slots) {
    if (slot.granularity_ms == 0) {
      const model::Timestamp end = slot.start + job.env.chunk_width_ms;
      // Nothing is lost unrolled, unless nobody here ever rolls up.
      const bool made = job.env.options.rollups.levels.empty() || !job.env.options.rolls_up || of_slot.is_sealed();
      if (!of_slot.runs.empty() && made && shared::is_over(end, job.env.options.raw_retention_ms, now))
        over.push_back(slot);
      if (of_slot.runs.empty() && shared::is_over(end, longest_retention_ms(job.env), now)) over.push_back(slot);
      continue;
    }
    const auto level = std::ranges::find(job.env.options.rollups.levels, slot.granularity_ms, &rollup::Level::width_ms);
    if (level == job.env.options.rollups.levels.end()) {
      over.push_back(slot);  // a granularity that is no longer configured
      continue;
    }
    const auto width =
        of_slot.runs.empty() ? slot.granularity_ms : level_slot_width_ms(slot.granularity_ms, job.env.chunk_width_ms);
    const auto at = static_cast<std::size_t>(level - job.env.options.rollups.levels.begin());
    const auto kept = shared::stored_for_ms(job.env.options.rollups.levels, at, job.env.options.raw_retention_ms,
                                            job.env.chunk_width_ms);
    if (shared::is_over(slot.start + width, kept, now)) over.push_back(slot);
  }
  return over;
}

}  // namespace

// Retentions are days and years: looking once an hour is often enough, and cheap. Short ones are looked after sooner.
bool Retention::looks_again() const {
  std::int64_t shortest = job_.env.options.raw_retention_ms;
  for (const auto& level : job_.env.options.rollups.levels) shortest = std::min(shortest, level.retention_ms);
  const std::int64_t every = std::clamp<std::int64_t>(shortest / 8, 1000, 3'600'000);
  return job_.env.clock.now_ms() - last_ms_ >= every;
}

bool Retention::due() {
  if (!looks_again()) return false;
  if (!expired(job_, *job_.tables.runs()).empty()) return true;
  last_ms_ = job_.env.clock.now_ms();
  return false;
}

Status Retention::drop_expired() {
  if (!looks_again()) return {};
  last_ms_ = job_.env.clock.now_ms();
  const auto current = job_.tables.runs();
  const auto over = expired(job_, *current);
  if (over.empty()) return {};
  VARVE_RETURN_IF_ERROR(job_.env.step("retention.begin"));
  const std::int64_t now = job_.env.clock.now_ms();
  Change change{.what = "retention"};
  Database::Commit& commit = change.commit;
  for (const SlotKey& slot : over) {
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    commit.removed.insert(commit.removed.end(), of_slot.runs.begin(), of_slot.runs.end());
    Mark mark;
    if (slot.granularity_ms == 0 && !job_.env.options.rollups.levels.empty() &&
        !shared::is_over(slot.start + job_.env.chunk_width_ms, longest_retention_ms(job_.env), now)) {
      mark = of_slot.mark;
      mark.dropped = true;
      mark.open.clear();
    }
    job_.set_aside.forget(slot);
    commit.marks.emplace_back(slot, std::move(mark));
  }
  change.empties_series = !commit.removed.empty();
  Database::Draft nothing(job_.tables.database());
  return job_.tables.commit(std::move(change), nothing);
}

}  // namespace varve::engine::rocksdb
