// SPDX-License-Identifier: Apache-2.0
// Sealing of messages: the runs of a slot, frames and blocks, become one run of blocks, without what senders repeated.
// Done again after a crash it gives the same run.
#include "base/check.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/message_source.h"
#include "engine/rocksdb/runs/sealed_messages.h"

namespace varve::engine::rocksdb {
namespace {

Status write(const JobContext& job, const SlotKey& slot) {
  // Drawn before the runs are looked at: what a flush adds after that look stands above it.
  const std::uint64_t number = job.tables.numbers().draw();
  VARVE_RETURN_IF_ERROR(job.env.step("messages.begin"));
  const auto current = job.tables.runs();
  const Runs::OfSlot& of_slot = current->messages.at(slot);
  check(!of_slot.runs.empty(), "a slot that is sealed has runs");
  auto rows = merged_messages(of_slot.runs, job.tables.database());
  Database::Draft draft(job.tables.database());
  SealedMessagesWriter writer({slot, number}, of_slot.content(), draft);
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, rows.next());
    if (!row) break;
    VARVE_RETURN_IF_ERROR(writer.add(*row));
  }
  Change change{.what = "messages", .slots_sealed = 1};
  VARVE_ASSIGN_OR_RETURN(auto run, writer.finish());
  check(run != nullptr, "runs hold messages");
  change.commit.added = {std::move(run)};
  change.commit.removed = of_slot.runs;
  return job.tables.commit(std::move(change), draft);
}

}  // namespace

Status seal_messages(const JobContext& job, const SlotKey& slot) {
  const Status status = write(job, slot);
  if (status) job.set_aside.succeeded(slot, kSealOfSlot);
  if (status || status.error().code != Code::corrupt) return status;
  job.set_aside.failed(slot, kSealOfSlot, status.error(), job.env.clock.now_ms());
  return {};
}

std::vector<SlotKey> sealable_messages(const JobContext& job, std::int64_t ended_before_ms) {
  const std::int64_t now = job.env.clock.now_ms();
  const auto current = job.tables.runs();
  std::vector<SlotKey> due;
  for (const auto& [slot, _] : current->unsealed_messages()) {
    if (slot.start + job.env.chunk_width_ms > ended_before_ms) continue;
    if (!job.set_aside.holds(slot, kSealOfSlot, now)) due.push_back(slot);
  }
  return due;
}

}  // namespace varve::engine::rocksdb
