// SPDX-License-Identifier: Apache-2.0
#include "tracker/local_jobs.h"

#include <algorithm>

#include "base/check.h"

namespace varve::tracker {

LocalJobBoard::LocalJobBoard(const JobOptions& options, const Clock& clock)
    : timetable_(options), lease_ms_(options.lease_ms), clock_(clock), jobs_(timetable_.jobs()) {
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) jobs_[job].next = timetable_.latest(job, clock_.now_ms());
}

Result<std::optional<Lease>> LocalJobBoard::claim(std::string_view replica) {
  const MutexLock lock(mutex_);
  const model::Timestamp now = clock_.now_ms();
  if (count_of(replica, now) >= share_of(replica, now)) return std::nullopt;
  const Job* const first = jobs_.data();
  const auto due_of = [&](const Job& job) {
    return timetable_.due_ms(static_cast<std::uint32_t>(&job - first), job.next);
  };
  Job* best = nullptr;
  for (Job& job : jobs_) {
    if (job.expires_ms <= now && (best == nullptr || due_of(job) < due_of(*best))) best = &job;
  }
  if (best == nullptr) return std::nullopt;
  best->holder = replica;
  best->token = ++tokens_;
  best->expires_ms = now + lease_ms_;
  return Lease{static_cast<std::uint32_t>(best - jobs_.data()), best->token, best->expires_ms, false};
}

Result<Lease> LocalJobBoard::renew(const Lease& lease) {
  const MutexLock lock(mutex_);
  const model::Timestamp now = clock_.now_ms();
  VARVE_ASSIGN_OR_RETURN(Job* const job, held(lease, now));
  job->expires_ms = now + lease_ms_;
  return Lease{lease.job, lease.token, job->expires_ms, count_of(job->holder, now) > share_of(job->holder, now)};
}

Result<Turn> LocalJobBoard::turn(const Lease& lease) {
  const MutexLock lock(mutex_);
  const model::Timestamp now = clock_.now_ms();
  VARVE_ASSIGN_OR_RETURN(Job* const job, held(lease, now));
  job->next = timetable_.catch_up(lease.job, job->next, now);
  const model::Timestamp due = timetable_.due_ms(lease.job, job->next);
  return Turn{job->next, timetable_.partition(lease.job, job->next), due, std::max<std::int64_t>(0, due - now)};
}

Status LocalJobBoard::finish(const Lease& lease, const Turn& turn) {
  const MutexLock lock(mutex_);
  VARVE_ASSIGN_OR_RETURN(Job* const job, held(lease, clock_.now_ms()));
  if (turn.number < job->next) return fail(Code::conflict, "this turn is finished already");
  job->next = turn.number + 1;
  return {};
}

Status LocalJobBoard::release(const Lease& lease) {
  const MutexLock lock(mutex_);
  if (const auto job = held(lease, clock_.now_ms())) (*job)->expires_ms = 0;
  return {};
}

Result<std::vector<JobState>> LocalJobBoard::jobs() {
  const MutexLock lock(mutex_);
  const model::Timestamp now = clock_.now_ms();
  std::vector<JobState> states;
  for (std::uint32_t number = 0; number < jobs_.size(); ++number) {
    const Job& job = jobs_[number];
    const bool is_held = job.expires_ms > now;
    states.push_back({number, is_held ? job.holder : "", is_held ? job.expires_ms : 0,
                      timetable_.due_ms(number, timetable_.catch_up(number, job.next, now))});
  }
  return states;
}

Result<LocalJobBoard::Job*> LocalJobBoard::held(const Lease& lease, model::Timestamp now_ms) {
  check(lease.job < jobs_.size(), "a lease of a job that there is not");
  Job& job = jobs_[lease.job];
  if (job.token != lease.token || job.expires_ms <= now_ms) {
    return fail(Code::conflict, "the lease of job " + std::to_string(lease.job) + " is lost");
  }
  return &job;
}

std::size_t LocalJobBoard::count_of(std::string_view replica, model::Timestamp now_ms) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(jobs_, [&](const Job& job) { return job.expires_ms > now_ms && job.holder == replica; }));
}

// Notes that the replica lives.
std::size_t LocalJobBoard::share_of(std::string_view replica, model::Timestamp now_ms) {
  std::erase_if(heard_of_, [&](const auto& other) { return other.second + lease_ms_ <= now_ms; });
  heard_of_.insert_or_assign(std::string(replica), now_ms);
  return (jobs_.size() + heard_of_.size() - 1) / heard_of_.size();
}

}  // namespace varve::tracker
