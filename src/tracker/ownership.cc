// SPDX-License-Identifier: Apache-2.0
#include "tracker/ownership.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/sort_unique.h"
#include "tracker/local_jobs.h"

namespace varve::tracker {

std::vector<std::uint32_t> partitions_in(std::span<const std::pair<std::uint32_t, std::uint32_t>> ranges,
                                         std::uint32_t partitions) {
  std::vector<std::uint32_t> list;
  for (const auto& [first, last] : ranges) {
    for (std::uint32_t partition = first; partition < partitions && partition <= last; ++partition) {
      list.push_back(partition);
    }
  }
  sort_unique(list);
  return list;
}

std::vector<std::uint32_t> all_partitions(std::uint32_t partitions) {
  std::vector<std::uint32_t> list(partitions);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

Ownership::Ownership(Options options, JobBoard* board, const Clock& clock)
    : options_(std::move(options)),
      timetable_(options_.jobs),
      clock_(clock),
      board_(board),
      heartbeat_ms_(std::numeric_limits<std::int64_t>::min()) {
  if (options_.own == Own::list) {
    own_board_ = std::make_unique<LocalJobBoard>(options_.jobs, clock);
    board_ = own_board_.get();
  }
  if (options_.own == Own::none) board_ = nullptr;
  check(board_ != nullptr || options_.own == Own::none, "jobs without a board");
}

Result<std::optional<Task>> Ownership::next() {
  const MutexLock lock(mutex_);
  if (board_ == nullptr) return std::nullopt;
  heartbeat_locked();
  const std::int64_t now = steady_ms();
  std::optional<Task> best;
  for (std::size_t i = 0; i < held_.size();) {
    Held& held = held_[i];
    if (held.busy || held.not_before_ms > now) {
      ++i;
      continue;
    }
    const auto turn = board_->turn(held.lease);
    if (!turn && turn.error().code != Code::conflict) return fail(turn.error());
    if (!turn) {
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    held.not_before_ms = now + turn->wait_ms;
    if (turn->wait_ms == 0 && (!best || turn->due_ms < best->turn.due_ms)) best = Task{held.lease, *turn};
    ++i;
  }
  if (best) find(best->lease)->busy = true;
  return best;
}

Status Ownership::finish(const Task& task) {
  const MutexLock lock(mutex_);
  Held* held = find(task.lease);
  if (held == nullptr) return fail(Code::conflict, "the lease of this turn is lost");
  held->busy = false;
  Status finished = board_->finish(task.lease, task.turn);
  if (!finished && finished.error().code == Code::conflict) {
    drop(task.lease);
  } else if (held->lease.surplus) {
    Status released = board_->release(task.lease);
    drop(task.lease);
    if (finished && !released) return released;
  }
  return finished;
}

void Ownership::heartbeat() {
  const MutexLock lock(mutex_);
  if (board_ != nullptr) heartbeat_locked();
}

// Every third of a lease: renews what it has, then takes what it can get.
void Ownership::heartbeat_locked() {
  const std::int64_t now = steady_ms();
  std::erase_if(held_, [now](const Held& held) { return held.lost_ms <= now; });
  if (now < heartbeat_ms_) return;
  heartbeat_ms_ = now + options_.jobs.lease_ms / 3;
  renew_all(now);
  while (true) {
    const auto claimed = board_->claim(options_.replica);
    if (!claimed) return;  // a board that does not answer is asked again at the next heartbeat
    const std::optional<Lease>& lease = *claimed;
    if (!lease) return;
    held_.push_back({*lease, now + options_.jobs.lease_ms, now, false});
  }
}

void Ownership::renew_all(std::int64_t now_ms) {
  for (std::size_t i = 0; i < held_.size();) {
    Held& held = held_[i];
    const auto renewed = board_->renew(held.lease);
    if (renewed) {
      held.lease = *renewed;
      held.lost_ms = now_ms + options_.jobs.lease_ms;
    }
    const bool lost = !renewed && renewed.error().code == Code::conflict;
    const bool surplus = renewed && renewed->surplus && !held.busy && board_->release(held.lease);
    if (lost || surplus) {
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void Ownership::release() {
  const MutexLock lock(mutex_);
  for (const Held& held : held_) {
    // One that cannot be given back runs out.
    if (const Status released = board_->release(held.lease); !released) continue;
  }
  held_.clear();
}

Result<std::vector<JobState>> Ownership::jobs() const {
  if (board_ == nullptr) return std::vector<JobState>{};
  return board_->jobs();
}

std::size_t Ownership::jobs_held() const {
  const MutexLock lock(mutex_);
  return held_.size();
}

std::vector<std::uint32_t> Ownership::partitions() const {
  const MutexLock lock(mutex_);
  if (options_.own == Own::list) return options_.jobs.partitions;
  std::vector<std::uint32_t> list;
  for (const Held& held : held_) {
    const auto mine = timetable_.partitions(held.lease.job);
    list.insert(list.end(), mine.begin(), mine.end());
  }
  std::ranges::sort(list);
  return list;
}

Ownership::Held* Ownership::find(const Lease& lease) {
  const auto it = std::ranges::find(held_, lease.token, [](const Held& held) { return held.lease.token; });
  return it == held_.end() ? nullptr : &*it;
}

void Ownership::drop(const Lease& lease) {
  std::erase_if(held_, [&lease](const Held& held) { return held.lease.token == lease.token; });
}

}  // namespace varve::tracker
