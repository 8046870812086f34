// SPDX-License-Identifier: Apache-2.0
// Sealing of messages: the runs of a slot, frames and blocks, become one run of blocks, without what senders repeated.
// Done again after a crash it gives the same run.
#include "base/check.h"
#include "engine/rocksdb/commit_size.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/message_source.h"
#include "engine/rocksdb/runs/sealed_messages.h"

namespace varve::engine::rocksdb {
namespace {

// Adds the slot's new run to the change.
Status write(const JobContext& job, const RunKey& key, const Runs::OfSlot& of_slot, Database::Draft& draft,
             Change& change) {
  check(!of_slot.runs.empty(), "a slot that is sealed has runs");
  auto rows = merged_messages(of_slot.runs, job.tables.database());
  SealedMessagesWriter writer(key, of_slot.content(), draft);
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, rows.next());
    if (!row) break;
    VARVE_RETURN_IF_ERROR(writer.add(*row));
  }
  VARVE_ASSIGN_OR_RETURN(auto run, writer.finish());
  check(run != nullptr, "runs hold messages");
  change.commit.added.push_back(std::move(run));
  change.commit.removed.insert(change.commit.removed.end(), of_slot.runs.begin(), of_slot.runs.end());
  ++change.slots_sealed;
  return {};
}

}  // namespace

Status seal_messages(const JobContext& job, std::span<const SlotKey> slots) {
  return without_damaged(job, slots, kSealOfSlot, [&](std::span<const SlotKey> sound, SlotKey& at) -> Status {
    // Drawn before the runs are looked at: what a flush adds after that look stands above it.
    const std::uint64_t number = job.tables.numbers().draw();
    VARVE_RETURN_IF_ERROR(job.env.step("messages.begin"));
    const auto current = job.tables.runs();
    Database::Draft draft(job.tables.database());
    Change change{.what = "messages"};
    for (const SlotKey& slot : sound) {
      at = slot;
      VARVE_RETURN_IF_ERROR(write(job, {slot, number}, current->messages.at(slot), draft, change));
    }
    return job.tables.commit(std::move(change), draft);
  });
}

std::vector<SlotKey> sealable_messages(const JobContext& job, std::int64_t ended_before_ms) {
  const auto current = job.tables.runs();
  std::vector<SlotKey> due;
  for (const auto& [slot, _] : current->unsealed_messages()) {
    if (slot.start + job.env.chunk_width_ms > ended_before_ms) continue;
    if (!job.set_aside.holds(slot, kSealOfSlot)) due.push_back(slot);
  }
  return due;
}

}  // namespace varve::engine::rocksdb
