// SPDX-License-Identifier: Apache-2.0
// Ownership: which partitions this replica looks at, and when (`slots.own`).
//
//   jobs   what it can get of the jobs on the board; renews its leases, gives back what is over its share
//   list   these partitions for ever; a board of its own keeps their turns
//   none   nothing
//
// The loop of a worker, of which there may be several:
//   while (auto task = ownership.next()) { look at task->turn.partition; ownership.finish(*task); }    then wait a
//   little
// A job has one turn under way at a time. Whoever works on one for long lets somebody call heartbeat() meanwhile, at
// least every third of a lease; next() does so too.
#pragma once

#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "tracker/jobs.h"

namespace varve::tracker {

enum class Own { jobs, list, none };
constexpr std::string_view to_string(Own own) { return own == Own::jobs ? "jobs" : own == Own::list ? "list" : "none"; }

// The partitions of these ranges (both ends included) below `partitions`, ascending, each once.
std::vector<std::uint32_t> partitions_in(std::span<const std::pair<std::uint32_t, std::uint32_t>> ranges,
                                         std::uint32_t partitions);
// All of them: what the jobs divide.
std::vector<std::uint32_t> all_partitions(std::uint32_t partitions);

struct Task {
  Lease lease;
  Turn turn;
};

// Thread-safe.
class Ownership {
 public:
  struct Options {
    Own own = Own::jobs;
    std::string replica = "local";  // its name on the board
    JobOptions jobs;                // of the board; where own is list: with the partitions of the list
  };
  // `board`, for Own::jobs only, is made with the same JobOptions.
  Ownership(Options options, JobBoard* board, const Clock& clock);

  // A turn whose time has come, or nullopt. Fails where the board does; then call it again later.
  Result<std::optional<Task>> next();
  // conflict: the job was lost meanwhile, so another replica may be doing the same.
  Status finish(const Task& task);
  void heartbeat();
  // Stopping: gives everything back, so that others need not wait for it to run out.
  void release();

  [[nodiscard]] Own own() const { return options_.own; }
  [[nodiscard]] const std::string& replica() const { return options_.replica; }
  // All that is on the board, also what others hold; nothing where none are owned.
  [[nodiscard]] Result<std::vector<JobState>> jobs() const;

  // As of the last heartbeat: none before the first.
  [[nodiscard]] std::size_t jobs_held() const;
  [[nodiscard]] std::vector<std::uint32_t> partitions() const;  // what is its own now: to settle
  // All partitions of the job that the task is of, in the order of their turns.
  [[nodiscard]] std::span<const std::uint32_t> partitions_beside(const Task& task) const {
    return timetable_.partitions(task.lease.job);
  }

 private:
  struct Held {
    Lease lease;
    std::int64_t lost_ms;        // by steady_ms(): not later than by the board's clock
    std::int64_t not_before_ms;  // no turn is due before, by steady_ms()
    bool busy = false;           // one is under way
  };
  void heartbeat_locked() VARVE_REQUIRES(mutex_);
  void renew_all(std::int64_t now_ms) VARVE_REQUIRES(mutex_);
  [[nodiscard]] std::int64_t steady_ms() const { return clock_.steady_ns() / 1'000'000; }
  Held* find(const Lease& lease) VARVE_REQUIRES(mutex_);
  void drop(const Lease& lease) VARVE_REQUIRES(mutex_);

  const Options options_;
  const Timetable timetable_;
  const Clock& clock_;
  std::unique_ptr<JobBoard> own_board_;
  JobBoard* board_;  // nullptr: Own::none
  mutable Mutex mutex_;
  std::vector<Held> held_ VARVE_GUARDED_BY(mutex_);
  std::int64_t heartbeat_ms_ VARVE_GUARDED_BY(mutex_);  // the next one, by steady_ms()
};

}  // namespace varve::tracker
