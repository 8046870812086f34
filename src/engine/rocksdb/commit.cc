// SPDX-License-Identifier: Apache-2.0
// Commit: how a change of the store becomes durable, then visible, one at a time.
//
// When a commit cannot be flushed nobody knows whether it is in the database: it is in RocksDB's memory, and the next
// flush that goes well makes it durable, whoever asks for it. So it is kept, and nothing else is committed, and no work
// that depends on the list of runs is begun, before it has been flushed and published. Until then readers have what was
// there before, which is still there: blocks go after their runs have gone from the list. Where the database had to be
// opened again, it is known whether the commit is there; if not, nothing of it is, and the work is done anew.
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {

Status Store::State::commit(Change change, Database::Draft& draft) {
  const std::lock_guard lock(commit_mutex);
  VARVE_CHECK_OK(finish_commit_locked());  // or undone: then what it was about is as it was
  change.commit.lives = change.lives.apply(lives);
  Checkpoint& reached = change.commit.checkpoint;
  if (!change.spills) reached = checkpoint;
  reached.next_run = numbers.end();
  VARVE_CHECK_OK(step(change.what, ".written"));
  VARVE_CHECK_OK(database->write(change.commit, draft));
  unfinished = std::move(change);
  VARVE_TRY(const bool done, finish_commit_locked());
  if (done) return {};
  return fail(Code::unavailable, "the database had to be opened again; what was being written is written anew");
}

Status Store::State::finish_commit() {
  const std::lock_guard lock(commit_mutex);
  VARVE_CHECK_OK(finish_commit_locked());
  return {};
}

Result<bool> Store::State::finish_commit_locked() {
  if (!unfinished) return true;
  VARVE_TRY(const bool is_there, database->flush());
  if (!is_there) {
    undo();
    return false;
  }
  VARVE_CHECK_OK(step(unfinished->what, ".committed"));
  const Change change = std::move(*unfinished);
  unfinished.reset();
  publish(change);
  VARVE_CHECK_OK(step(change.what, ".published"));
  if (change.spills) log->remove_before(checkpoint.first_segment);
  return true;
}

// Nothing of it is in the database: whoever began it does it again from the start.
void Store::State::undo() {
  const Change change = std::move(*unfinished);
  unfinished.reset();
  database->discard(change.commit.added);
  if (change.spills) numbers.end_flush();
}

std::uint64_t Store::State::flushed_below() {
  const std::lock_guard lock(commit_mutex);
  return checkpoint.first_segment;
}

void Store::State::publish(const Change& change) {
  const Database::Commit& commit = change.commit;
  checkpoint = commit.checkpoint;
  // Only commits change the runs, so the copy may be made before the append lock is taken.
  auto fresh = std::make_shared<Runs>(*runs);
  const std::int64_t now = clock.steady_ns();
  for (const auto& run : commit.removed) fresh->remove(run->key);
  for (const auto& run : commit.added) fresh->add(run, now);
  for (const auto& [slot, mark] : commit.marks) fresh->set_mark(slot, mark);
  std::shared_ptr<const Head> dropped;
  std::shared_ptr<const Runs> old = fresh;
  {
    const std::lock_guard lock(append_mutex);
    runs.swap(old);
    lives.replace(commit.lives);
    if (change.spills) dropped.swap(frozen);
    // A head that grew past its limit while the other was being spilled is next.
    if (change.spills && head_over(1)) static_cast<void>(freeze());
  }
  if (change.spills) numbers.end_flush();
  room.notify_all();
  // Whoever reads from now on takes the new list; who took the old one has a snapshot that keeps the blocks.
  database->discard(commit.removed);
  slots_sealed += change.slots_sealed;
  windows_written += change.windows;
  if (change.empties_series) look_for_empty_series();
}

}  // namespace varve::engine::rocksdb
