// SPDX-License-Identifier: Apache-2.0
// Retention: whole slots go when their time is over: raw ones raw.retention after their end, windows after that of
// their granularity; where series of their tenant may be kept for another time, the longest counts. The mark of a raw
// slot stays as long as windows made of it do: what comes late is then added to those.
#include <algorithm>
#include <set>
#include <utility>

#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/level_slots.h"

namespace varve::engine::rocksdb {
namespace {

// Slots whose runs, or whose mark, have outlived their time.
std::vector<SlotKey> expired(const JobContext& job, const Runs& current) {
  std::vector<SlotKey> over;
  const std::int64_t now = job.env.expiry.now_ms();
  const bool makes_windows = !job.env.options.rollups.levels.empty() && job.env.options.rolls_up;
  const auto is_due = [&](const SlotKey& slot, const Runs::OfSlot& of_slot) {
    const rollup::Retention& kept = job.catalog.kept(slot.tenant);
    const shared::Lifetimes lifetimes = job.env.lifetimes(kept);
    const std::int64_t mark_ms = job.env.longest_ms(kept);
    if (slot.is_raw()) {
      const model::Timestamp end = slot.raw_range(lifetimes.chunk_width_ms).last;
      if (of_slot.runs.empty()) return shared::is_over(end, mark_ms, now);
      // What is open is in no window yet. Where it cannot be read, it stays as long as windows would.
      const bool in_windows = of_slot.is_sealed() && (of_slot.mark.open.empty() || shared::is_over(end, mark_ms, now));
      return shared::may_drop(shared::is_kept(end, lifetimes.raw_retention_ms, now), !makes_windows || in_windows);
    }
    const std::size_t level = lifetimes.level_of(slot.granularity_ms);
    const bool configured = level < lifetimes.levels.size();
    const auto width =
        of_slot.runs.empty() ? slot.granularity_ms : level_slot_width_ms(slot.granularity_ms, lifetimes.chunk_width_ms);
    const auto stored_ms = configured ? lifetimes.stored_ms(level) : job.env.former_stored_ms(slot.granularity_ms);
    return stored_ms == Env::kAtOnce || shared::is_over(slot.start + width, stored_ms, now);
  };
  for (const auto& [slot, of_slot] : current.slots) {
    if (is_due(slot, of_slot)) over.push_back(slot);
  }
  return over;
}

// Slots of messages that have outlived the time of their class.
std::vector<SlotKey> expired_messages(const JobContext& job, const Runs& current) {
  std::vector<SlotKey> over;
  const std::int64_t now = job.env.expiry.now_ms();
  for (const auto& [slot, of_slot] : current.messages) {
    const model::Timestamp end = slot.start + job.env.chunk_width_ms;
    if (shared::is_over(end, job.env.options.message_classes.retention_ms(slot.class_id()), now)) over.push_back(slot);
  }
  return over;
}

// Of granularities that are dropped no slot has windows any more; after the marks that the commit has already.
void unmark_dropped_granularities(const JobContext& job, const Runs& current, Database::Commit& commit) {
  const auto& dropped = job.env.options.dropped_granularities_ms;
  if (dropped.empty()) return;
  const auto strip = [&](Mark& mark) {
    return std::erase_if(mark.granularities_ms,
                         [&](std::int64_t width) { return std::ranges::find(dropped, width) != dropped.end(); }) > 0;
  };
  std::set<SlotKey> changed;
  for (auto& [slot, mark] : commit.marks) {
    strip(mark);
    changed.insert(slot);
  }
  for (const auto& [slot, of_slot] : current.slots) {
    Mark mark = of_slot.mark;
    if (!changed.contains(slot) && strip(mark)) commit.marks.emplace_back(slot, std::move(mark));
  }
}

}  // namespace

// Retentions are days and years: looking once an hour is often enough, and cheap. Short ones are looked after sooner.
bool Retention::looks_again() const {
  const rollup::Retention of_samples = job_.env.classes.shortest();
  std::int64_t shortest = std::min(of_samples.raw_ms, job_.env.options.message_classes.shortest_ms());
  for (const auto& level : of_samples.levels) shortest = std::min(shortest, level.retention_ms);
  const std::int64_t every = std::clamp<std::int64_t>(shortest / 8, 1000, 3'600'000);
  return job_.env.steady_ms() - last_ms_ >= every;
}

bool Retention::due() {
  if (!looks_again()) return false;
  const auto current = job_.tables.runs();
  if (!expired(job_, *current).empty() || !expired_messages(job_, *current).empty()) return true;
  last_ms_ = job_.env.steady_ms();
  return false;
}

Status Retention::drop_expired() {
  if (!looks_again()) return {};
  last_ms_ = job_.env.steady_ms();
  const auto current = job_.tables.runs();
  const auto over = expired(job_, *current);
  const auto messages_over = expired_messages(job_, *current);
  if (over.empty() && messages_over.empty()) return {};
  VARVE_RETURN_IF_ERROR(job_.env.step("retention.begin"));
  const std::int64_t now = job_.env.expiry.now_ms();
  Change change{.what = "retention"};
  Database::Commit& commit = change.commit;
  const std::int64_t chunk_width = job_.env.chunk_width_ms;
  for (const SlotKey& slot : over) {
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    commit.removed.insert(commit.removed.end(), of_slot.runs.begin(), of_slot.runs.end());
    Mark mark;
    const bool has_windows = !job_.env.options.rollups.levels.empty() || !of_slot.mark.granularities_ms.empty();
    if (slot.is_raw() && has_windows &&
        !shared::is_over(slot.raw_range(chunk_width).last, job_.env.longest_ms(job_.catalog.kept(slot.tenant)), now)) {
      mark = of_slot.mark;
      mark.dropped = true;
      mark.open.clear();
    }
    job_.set_aside.forget(slot);
    commit.marks.emplace_back(slot, std::move(mark));
  }
  change.empties_series = !commit.removed.empty();
  unmark_dropped_granularities(job_, *current, commit);
  for (const SlotKey& slot : messages_over) {
    const auto& runs = current->messages.at(slot).runs;
    commit.removed.insert(commit.removed.end(), runs.begin(), runs.end());
    job_.set_aside.forget(slot);
  }
  Database::Draft nothing(job_.tables.database());
  return job_.tables.commit(std::move(change), nothing);
}

}  // namespace varve::engine::rocksdb
