// SPDX-License-Identifier: Apache-2.0
// RedisJobBoard: the JobBoard that all replicas share. docs/formats/redis.md has the keys.
//
// All times are the server's: whether a lease has run out is decided by scripts, where the lease is. A replica that was
// paused finds out with its next question. What a job's next turn is, the Timetable says here; scripts only compare.
#pragma once

#include <string>
#include <vector>

#include "tracker/jobs.h"
#include "tracker/redis/link.h"

namespace varve::tracker::redis {

class RedisJobBoard final : public JobBoard {
 public:
  // `clock`: for tests, instead of the server's time.
  RedisJobBoard(const JobOptions& options, Link& link, const Clock* clock = nullptr);

  Result<std::optional<Lease>> claim(std::string_view replica) override;
  Result<Lease> renew(const Lease& lease) override;
  Result<Turn> turn(const Lease& lease) override;
  Status finish(const Lease& lease, const Turn& turn) override;
  Status release(const Lease& lease) override;
  Result<std::vector<JobState>> jobs() override;

 private:
  struct Job {
    std::string holder, token;
    model::Timestamp expires_ms;
    std::int64_t next;  // of one that nobody has taken yet: the latest turn
  };
  struct View {
    model::Timestamp now_ms;
    std::size_t replicas;
    std::vector<Job> jobs;
  };
  // `replica` is heard of with it, unless it is empty.
  Result<View> look(std::string_view replica);
  // nullopt: another replica was faster.
  Result<std::optional<Lease>> take(std::uint32_t job, const Job& seen, std::string_view replica);
  // The script's answer for this lease, with more arguments; conflict if the lease is lost.
  Result<Answer> ask(const driver::Script& script, const Lease& lease, std::vector<std::string> more);
  [[nodiscard]] std::string now() const;
  [[nodiscard]] std::size_t share(std::size_t replicas) const;

  const Timetable timetable_;
  const std::string lease_ms_;
  Link& link_;
  const Clock* clock_;
  const std::string replicas_key_, tokens_key_;
  std::vector<std::string> job_keys_;
};

}  // namespace varve::tracker::redis
