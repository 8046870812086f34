// SPDX-License-Identifier: Apache-2.0
// Seal: what is new in raw slots is folded into the windows of every granularity that fits into a slot, and committed
// together with the marks that say so. Done again after a crash it gives the same windows.
#include "engine/rocksdb/settle/rollup_writer.h"
#include "engine/rocksdb/settle/sealing.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {

Runs::Plan Store::State::plan() const {
  Runs::Plan plan;
  std::int64_t finer = 0;
  for (const auto& level : options.rollups.levels) {
    if (level.width_ms <= chunk_width) {
      plan.of_raw_ms.push_back(level.width_ms);
    } else {
      plan.of_finer_ms.emplace_back(level.width_ms, finer);
    }
    finer = level.width_ms;
  }
  return plan;
}

Status Store::State::seal(std::span<const SlotKey> slots) {
  VARVE_CHECK_OK(step("seal.begin"));
  Database::Draft draft(*database);
  RollupWriter writer(draft, chunk_width, numbers);
  Change change{.what = "seal"};
  const auto current = runs_now();
  const View nothing{nullptr, nullptr, current, nullptr};
  const auto partitions = owned();
  SealBatcher batcher(options, index_mutex, index, shared_groups, partitions);
  Sealing sealing(batcher, set_aside, writer, clock.now_ms());
  for (const SlotKey& slot : slots) {
    const ScanSource source{nothing, append_mutex, *database, cache, clock, slot.tenant, chunk_width};
    VARVE_CHECK_OK(sealing.start({options, index_mutex, index, current, source, set_aside}, slot));
  }
  VARVE_TRY(change.slots_sealed, sealing.finish(change.commit));
  if (change.slots_sealed == 0) return {};  // what was folded is forgotten with the writer
  VARVE_CHECK_OK(commit_rollups(writer, std::move(change), draft));
  for (const SlotKey& slot : slots) rest_if_open(slot);
  return {};
}

// A slot that is done but for what cannot be done now is looked at again when something may have changed.
void Store::State::rest_if_open(const SlotKey& slot) {
  const auto current = runs_now();
  const auto known = current->slots.find(slot);
  if (known == current->slots.end() || known->second.mark.open.empty()) return;
  model::Timestamp until = std::numeric_limits<model::Timestamp>::max();
  for (const auto& entry : set_aside.list()) {
    if (entry.slot == slot) until = std::min(until, entry.retry_ms);
  }
  set_aside.rest(slot, known->second.mark.open.size(), until);
}

Status Store::State::commit_rollups(RollupWriter& writer, Change change, Database::Draft& draft) {
  VARVE_TRY(change.commit.added, writer.finish());
  for (auto& [slot, mark] : change.commit.marks) {
    if (mark.sealed == kThisCommit) mark.sealed = writer.last_run();
  }
  change.windows = writer.windows();
  return commit(std::move(change), draft);
}

std::vector<SlotKey> Store::State::sealable(std::int64_t ended_before_ms) const {
  const std::int64_t now = clock.now_ms();
  const auto current = runs_now();
  std::vector<SlotKey> due;
  for (const auto& [slot, _] : current->pending()) {
    if (slot.start + chunk_width > ended_before_ms || set_aside.holds(slot, kSealOfSlot, now)) continue;
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    const bool only_open = of_slot.is_sealed() && !of_slot.mark.open.empty();
    if (only_open && set_aside.rests(slot, of_slot.mark.open.size(), now)) continue;
    due.push_back(slot);
  }
  return due;
}

}  // namespace varve::engine::rocksdb
