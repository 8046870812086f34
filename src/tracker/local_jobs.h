// SPDX-License-Identifier: Apache-2.0
// LocalJobBoard: the JobBoard of one process. Its one replica holds all jobs, and tests show what several would do.
#pragma once

#include <map>

#include "base/clock.h"
#include "base/mutex.h"
#include "tracker/jobs.h"

namespace varve::tracker {

class LocalJobBoard final : public JobBoard {
 public:
  LocalJobBoard(const JobOptions& options, const Clock& clock);

  Result<std::optional<Lease>> claim(std::string_view replica) override;
  Result<Lease> renew(const Lease& lease) override;
  Result<Turn> turn(const Lease& lease) override;
  Status finish(const Lease& lease, const Turn& turn) override;
  Status release(const Lease& lease) override;
  Result<std::vector<JobState>> jobs() override;

 private:
  struct Job {
    std::string holder;
    std::uint64_t token = 0;
    model::Timestamp expires_ms = 0;  // 0: nobody holds it
    std::int64_t next = 0;            // turn
  };
  Result<Job*> held(const Lease& lease, model::Timestamp now_ms) VARVE_REQUIRES(mutex_);
  std::size_t count_of(std::string_view replica, model::Timestamp now_ms) const VARVE_REQUIRES(mutex_);
  std::size_t share_of(std::string_view replica, model::Timestamp now_ms) VARVE_REQUIRES(mutex_);

  const Timetable timetable_;
  const std::int64_t lease_ms_;
  const Clock& clock_;
  Mutex mutex_;
  std::vector<Job> jobs_ VARVE_GUARDED_BY(mutex_);
  std::uint64_t tokens_ VARVE_GUARDED_BY(mutex_) = 0;
  std::map<std::string, model::Timestamp, std::less<>> heard_of_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::tracker
