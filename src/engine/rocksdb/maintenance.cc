// SPDX-License-Identifier: Apache-2.0
// Maintenance: the thread that merges the runs of quiet slots, seals what has ended and gives back what is over, and
// settle(), which does all of it at once.
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

// The slots that have a run now which they had not before.
storage::SettleReport what_changed(const Runs& before, const Runs& after) {
  storage::SettleReport report;
  for (const auto& [slot, now] : after.slots) {
    if (slot.granularity_ms != 0 || now.runs.empty()) continue;
    const auto then = before.slots.find(slot);
    const auto& run = *now.runs.back();
    const bool known = then != before.slots.end() && !then->second.runs.empty();
    if (known && then->second.runs.back()->key.run == run.key.run && then->second.mark == now.mark) continue;
    ++report.slots_sealed;
    report.chunks_written += run.chunks;
    report.samples += run.samples;
    report.bytes += run.bytes;
  }
  return report;
}

}  // namespace

// The steps of one round of the thread. Each begins with what an earlier failure left unfinished, and only then looks
// at the runs; one that fails does not keep the others from being tried.
bool Store::State::maintain_once() {
  const std::lock_guard lock(maintenance_mutex);
  if (options.owned) static_cast<void>(options.owned());  // keeps what it owns
  bool worked = false;
  const auto attempt = [&](const char* trouble, auto&& work) {
    Status status = finish_commit();
    if (status) status = work();
    troubles.note(trouble, status);
    worked = worked || status;
    return bool(status);
  };
  if (!troubles.note("a change cannot be finished", finish_commit())) return false;
  if (database->has_garbage()) {
    attempt("blocks without a run cannot be erased", [this] { return database->erase_garbage(); });
  }
  if (round_due()) attempt("ended slots cannot be sealed", [this] { return settle_round(); });
  if (forget_due()) forget_some();
  if (!finish_commit()) return false;
  const auto due = mergeable(false);
  if (!due.empty()) {
    attempt("fragments of a slot cannot be merged", [&] { return merge(due.front()); });
    return worked;
  }
  if (reclaim_due()) attempt("what has outlived its time cannot be given back", [this] { return reclaim_some(); });
  return worked && !reclaiming.slots.empty();
}

std::vector<SlotKey> Store::State::mergeable(bool all) const {
  const std::int64_t quiet_before = clock.steady_ns() - options.merge_quiet_ms * 1'000'000;
  const std::int64_t now = clock.now_ms();
  const auto current = runs_now();
  std::vector<SlotKey> due;
  for (const auto& [slot, _] : current->fragmented()) {
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    // What is sealed is done but for late samples. A level slot grows with each slot that is sealed, so that making one
    // run of it each time would write its windows a dozen times: it waits until it is full.
    const bool raw = slot.granularity_ms == 0;
    const bool done = raw ? !options.rollups.levels.empty() && of_slot.is_sealed()
                          : slot.start + level_slot_width_ms(slot.granularity_ms, chunk_width) <= now;
    const bool quiet = of_slot.grown_steady_ns <= quiet_before && (raw || done);
    const bool due_now = quiet || (raw && done) || of_slot.runs.size() >= options.runs_per_slot_max;
    if (!all && !due_now) continue;
    if (!set_aside.holds(slot, kMergeOfSlot, now)) due.push_back(slot);
  }
  return due;
}

Result<storage::SettleReport> Store::settle() {
  State& state = *state_;
  std::unique_lock lock(state.maintenance_mutex);
  VARVE_CHECK_OK(state.finish_commit());
  const auto before = state.runs_now();
  VARVE_CHECK_OK(state.spill_all_alone());
  for (const auto& slot : state.mergeable(true)) VARVE_CHECK_OK(state.merge(slot));
  VARVE_CHECK_OK(state.seal_all(state.clock.now_ms()));
  for (const auto& slot : state.mergeable(true)) VARVE_CHECK_OK(state.merge(slot));
  VARVE_CHECK_OK(state.reclaim_all());
  VARVE_CHECK_OK(state.seal_all(state.clock.now_ms()));  // windows of which a part went
  VARVE_CHECK_OK(state.drop_expired());
  while (state.forget_scan.left > 0) state.forget_some();
  VARVE_CHECK_OK(state.database->erase_garbage());
  const auto after = state.runs_now();
  lock.unlock();
  VARVE_CHECK_OK(state.database->compact());
  return what_changed(*before, *after);
}

}  // namespace varve::engine::rocksdb
