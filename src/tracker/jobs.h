// SPDX-License-Identifier: Apache-2.0
// Jobs: the partitions divided into a few portions, each with one replica at a time.
//
// A replica takes a job as a lease, which runs out unless it is renewed (the heartbeat), by the clock of the board. The
// lease carries a token that no other lease has or will have: whoever works on after losing it is told `conflict`.
//
// Within its job a replica takes turns: in each period every partition has one, and they are spread evenly over it,
// across all jobs. A turn's time comes from the schedule alone, never from when somebody came to it, so nothing drifts.
// The board remembers the turn that was last finished: a successor goes on where the dead one stopped. Whoever is more
// than a period behind skips what it would do twice.
//
// JobBoard implementations pass testing/job_contract.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time.h"

namespace varve::tracker {

struct JobOptions {
  std::vector<std::uint32_t> partitions;
  std::uint32_t jobs = 4;  // at most one a partition is used
  std::int64_t period_ms = 60'000;
  std::int64_t lease_ms = 30'000;
  std::string name = {};  // of the board, where several are shared: which work is divided; "": sealing
};

// When each partition has its turn. Turns of a job are counted from 1970, so the schedule needs no state. Constant.
class Timetable {
 public:
  explicit Timetable(const JobOptions& options);

  [[nodiscard]] std::uint32_t jobs() const { return static_cast<std::uint32_t>(jobs_.size()); }
  [[nodiscard]] std::span<const std::uint32_t> partitions(std::uint32_t job) const;
  [[nodiscard]] std::uint32_t partition(std::uint32_t job, std::int64_t turn) const;
  [[nodiscard]] model::Timestamp due_ms(std::uint32_t job, std::int64_t turn) const;
  // The last turn whose time has come.
  [[nodiscard]] std::int64_t latest(std::uint32_t job, model::Timestamp now_ms) const;
  // The turn to take where `next` would follow: later, if more than a period was missed; sooner, if the clock went
  // back.
  [[nodiscard]] std::int64_t catch_up(std::uint32_t job, std::int64_t next, model::Timestamp now_ms) const;

 private:
  struct Place {
    std::int64_t round, index;
  };
  [[nodiscard]] Place place(std::uint32_t job, std::int64_t turn) const;

  std::vector<std::vector<std::uint32_t>> jobs_;  // the partitions of each
  std::int64_t count_;                            // of all partitions
  std::int64_t period_ms_;
};

struct Lease {
  std::uint32_t job = 0;
  std::uint64_t token = 0;
  model::Timestamp expires_ms = 0;  // by the board's clock
  bool surplus = false;             // its replica holds more than its share: to be given back after the turn
};

struct Turn {
  std::int64_t number = 0;
  std::uint32_t partition = 0;
  model::Timestamp due_ms = 0;  // by the board's clock
  std::int64_t wait_ms = 0;     // until then; 0: now
};

// For metrics and people.
struct JobState {
  std::uint32_t job = 0;
  std::string holder;  // empty: nobody's
  model::Timestamp expires_ms = 0;
  model::Timestamp due_ms = 0;  // of the next turn
};

// Thread-safe. Any method may fail with `unavailable` where the board is another server.
class JobBoard {
 public:
  virtual ~JobBoard() = default;

  // A job that nobody holds, of several the one that is most behind; nullopt if there is none, or if `replica` holds
  // its share already: jobs over the replicas that were heard of within a lease's time, rounded up.
  virtual Result<std::optional<Lease>> claim(std::string_view replica) = 0;
  // The heartbeat: the same lease with more time. conflict: it has run out or was given back.
  virtual Result<Lease> renew(const Lease& lease) = 0;
  // The job's next turn, which may be still to come. conflict: as renew.
  virtual Result<Turn> turn(const Lease& lease) = 0;
  // That turn is done, the next one may come. conflict: as renew, or it was finished already.
  virtual Status finish(const Lease& lease, const Turn& turn) = 0;
  // Gives the job back; without effect if it is lost already.
  virtual Status release(const Lease& lease) = 0;
  virtual Result<std::vector<JobState>> jobs() = 0;
};

}  // namespace varve::tracker
