// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/tables.h"

#include <algorithm>

#include "engine/rocksdb/runs/missing_windows.h"

namespace varve::engine::rocksdb {
namespace {

// What a commit says of a slot must fit what is there.
void check_commit(const Database::Commit& commit, const Runs& current, const RunNumbers& numbers) {
  for (const auto& run : commit.added) {
    check(run->key.run < numbers.end(), "a run has a number that was drawn");
    check(run->chunks == 0 || run->first_time <= run->last_time, "the times of a run are a range");
    check(std::ranges::is_sorted(run->first_groups), "the blocks of a run ascend");
  }
  for (const auto& run : commit.removed) {
    const auto& in = run->key.slot.is_of_messages() ? current.messages : current.slots;
    check(in.contains(current.home_of(run->key.slot)), "a run that goes was there");
  }
  for (const auto& edited : commit.edited) {
    check(current.slots.contains(current.home_of(edited.run->key.slot)), "a run whose blocks are exchanged is there");
  }
}

// Only commits change the runs, so whoever commits may make the next list before.
std::shared_ptr<const Runs> with(const Database::Commit& commit, const Runs& current, std::int64_t now_steady_ns) {
  auto runs = std::make_shared<Runs>(current);
  for (const auto& run : commit.added) runs->add(run, now_steady_ns);
  for (const auto& run : commit.removed) runs->remove(run->key);
  for (const auto& edited : commit.edited) runs->replace(edited.run);
  for (const auto& [slot, mark] : commit.marks) runs->set_mark(slot, mark);
  return runs;
}

}  // namespace

Runs::Plan plan_of(const Env& env) {
  Runs::Plan plan;
  std::int64_t finer = 0;
  for (const auto& level : env.options.rollups.levels) {
    check(level.width_ms > finer, "granularities ascend");
    if (level.width_ms <= env.chunk_width_ms) {
      plan.of_raw_ms.push_back(level.width_ms);
    } else {
      plan.of_finer_ms.emplace_back(level.width_ms, finer);
    }
    finer = level.width_ms;
  }
  return plan;
}

Result<Tables::Found> Tables::recover(const std::function<Status(std::string_view)>& define) {
  const MutexLock lock(mutex_);
  std::vector<Run> found;
  std::vector<std::pair<SlotKey, Mark>> marks;
  VARVE_RETURN_IF_ERROR(database_->recover(checkpoint_, found, marks, define));
  numbers_.start(checkpoint_.next_run);
  VARVE_ASSIGN_OR_RETURN(const auto pages, database_->stats());
  auto stats = std::make_shared<StatsTable>();
  stats->replace(pages);
  auto runs = std::make_shared<Runs>(plan_of(env_));
  for (Run& run : found) runs->add(std::make_shared<const Run>(std::move(run)), env_.clock.steady_ns());
  for (auto& [slot, mark] : marks) runs->set_mark(slot, std::move(mark));
  counts_records_ = runs->records() == checkpoint_.records;
  unmark_missing_windows(env_, *runs);
  return Found{checkpoint_, std::move(runs), std::move(stats)};
}

View Tables::view_of_runs() const {
  View view = visible_.with_snapshot(*database_);
  view.immutable = nullptr;
  view.head = nullptr;
  return view;
}

Status Tables::commit(Change change, Database::Draft& draft) {
  const MutexLock lock(mutex_);
  VARVE_RETURN_IF_ERROR(finish_locked());  // or undone: then what it was about is as it was
  check_commit(change.commit, *visible_.runs(), numbers_);
  change.commit.stats = change.stats.apply(*visible_.stats());
  Checkpoint& reached = change.commit.checkpoint;
  if (!change.flushes) reached = checkpoint_;
  reached.next_run = numbers_.end();
  auto runs = with(change.commit, *visible_.runs(), env_.clock.steady_ns());
  reached.records = counts_records_ ? std::optional(runs->records()) : std::nullopt;
  check(reached.next_run >= checkpoint_.next_run && reached.first_segment >= checkpoint_.first_segment,
        "checkpoints ascend");
  VARVE_RETURN_IF_ERROR(env_.step(change.what, ".written"));
  const bool edits = !change.commit.edited.empty();
  if (edits) visible_.pin(database_->snapshot());
  if (Status status = database_->write(change.commit, draft); !status) {
    if (edits) visible_.pin(nullptr);
    return status;
  }
  unfinished_ = std::move(change);
  runs_then_ = std::move(runs);
  VARVE_ASSIGN_OR_RETURN(const bool done, finish_locked());
  if (done) return {};
  return fail(Code::unavailable, "the database had to be opened again; what was being written is written anew");
}

Status Tables::finish_commit() {
  const MutexLock lock(mutex_);
  VARVE_RETURN_IF_ERROR(finish_locked());
  return {};
}

Result<bool> Tables::finish_locked() {
  if (!unfinished_) return true;
  VARVE_ASSIGN_OR_RETURN(const bool is_there, database_->flush());
  if (!is_there) {
    undo();
    return false;
  }
  VARVE_RETURN_IF_ERROR(env_.step(unfinished_->what, ".committed"));
  const Change change = std::move(*unfinished_);
  unfinished_.reset();
  publish(change, std::move(runs_then_));
  VARVE_RETURN_IF_ERROR(env_.step(change.what, ".published"));
  return true;
}

// Nothing of it is in the database: whoever began it does it again from the start.
void Tables::undo() {
  const Change change = std::move(*unfinished_);
  unfinished_.reset();
  runs_then_.reset();
  database_->discard(change.commit.added);
  if (!change.commit.edited.empty()) visible_.pin(nullptr);
  if (change.flushes) numbers_.end_flush();
}

void Tables::give_up_flush() {
  const MutexLock lock(mutex_);
  if (!unfinished_ || !unfinished_->flushes) numbers_.end_flush();
}

std::uint64_t Tables::flushed_below() const {
  const MutexLock lock(mutex_);
  return checkpoint_.first_segment;
}

void Tables::publish(const Change& change, std::shared_ptr<const Runs> runs) {
  const Database::Commit& commit = change.commit;
  checkpoint_ = commit.checkpoint;
  auto stats = std::make_shared<StatsTable>(*visible_.stats());
  stats->replace(commit.stats);
  visible_.publish(std::move(runs), std::move(stats), change.flushes);
  // Whoever reads from now on takes the new list; who took the old one has a snapshot that keeps the blocks.
  database_->discard(commit.removed);
  if (change.flushes) {
    numbers_.end_flush();
    flushed_(checkpoint_.first_segment);
  }
  slots_sealed_ += change.slots_sealed;
  windows_written_ += change.windows;
  if (change.empties_series) note_emptied();
}

}  // namespace varve::engine::rocksdb
