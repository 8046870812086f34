// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/redis_jobs.h"

#include <algorithm>

#include "base/check.h"
#include "tracker/redis/keys.h"
#include "tracker/redis/scripts.h"

namespace varve::tracker::redis {
namespace {

using Views = std::vector<std::string_view>;

std::unexpected<Error> lost(const Lease& lease) {
  return fail(Code::conflict, "the lease of job " + std::to_string(lease.job) + " is lost");
}

}  // namespace

RedisJobBoard::RedisJobBoard(const JobOptions& options, Link& link, const Clock* clock)
    : timetable_(options),
      lease_ms_(std::to_string(options.lease_ms)),
      link_(link),
      clock_(clock),
      replicas_key_(link.key(options.name + "replicas")),
      tokens_key_(link.key(options.name + "tokens")) {
  const std::string shape = std::to_string(timetable_.jobs()) + "|" + std::to_string(options.partitions.size()) + "|" +
                            std::to_string(options.period_ms);
  for (std::uint32_t job = 0; job < timetable_.jobs(); ++job)
    job_keys_.push_back(link.key(options.name + "job|" + std::to_string(job) + "|" + shape));
}

std::string RedisJobBoard::now() const { return clock_ == nullptr ? "" : std::to_string(clock_->now_ms()); }

std::size_t RedisJobBoard::share(std::size_t replicas) const {
  return (job_keys_.size() + replicas - 1) / std::max<std::size_t>(1, replicas);
}

Result<RedisJobBoard::View> RedisJobBoard::look(std::string_view replica) {
  Views keys = {replicas_key_};
  keys.insert(keys.end(), job_keys_.begin(), job_keys_.end());
  const std::string time = now();
  Question question = link_.question();
  question.commands.call(look_script(), keys, Views{time, lease_ms_, replica});
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
  const driver::Value& seen = answer[0];
  if (seen.size() != 2 + job_keys_.size()) return fail(Code::corrupt, "Redis: the jobs are not as asked");
  View view{to_number(seen[0].text()), static_cast<std::size_t>(seen[1].integer()), {}};
  for (std::uint32_t number = 0; number < job_keys_.size(); ++number) {
    const driver::Value& job = seen[2 + number];
    const std::string_view next = job[3].text();
    view.jobs.push_back({std::string(job[0].text()), std::string(job[1].text()), to_number(job[2].text()),
                         next.empty() ? timetable_.latest(number, view.now_ms) : to_number(next)});
  }
  return view;
}

Result<std::optional<Lease>> RedisJobBoard::claim(std::string_view replica) {
  // As often as there are jobs that others may snatch away meanwhile.
  for (std::size_t attempt = 0; attempt < job_keys_.size(); ++attempt) {
    VARVE_ASSIGN_OR_RETURN(const View view, look(replica));
    const auto is_mine = [&](const Job& job) { return job.expires_ms > view.now_ms && job.holder == replica; };
    if (std::ranges::count_if(view.jobs, is_mine) >= static_cast<std::ptrdiff_t>(share(view.replicas))) break;
    const Job* best = nullptr;
    const auto number = [&](const Job& job) { return static_cast<std::uint32_t>(&job - view.jobs.data()); };
    const auto due = [&](const Job& job) { return timetable_.due_ms(number(job), job.next); };
    for (const Job& job : view.jobs) {
      if (job.expires_ms <= view.now_ms && (best == nullptr || due(job) < due(*best))) best = &job;
    }
    if (best == nullptr) break;
    VARVE_ASSIGN_OR_RETURN(const auto lease, take(number(*best), *best, replica));
    if (lease) return lease;
  }
  return std::nullopt;
}

Result<std::optional<Lease>> RedisJobBoard::take(std::uint32_t job, const Job& seen, std::string_view replica) {
  check(job < job_keys_.size(), "a job that there is not");
  const std::string time = now(), next = std::to_string(seen.next);
  Question question = link_.question();
  question.commands.call(take_script(), Views{job_keys_[job], tokens_key_},
                         Views{time, lease_ms_, replica, seen.token, next});
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
  if (answer[0].size() != 2) return std::nullopt;
  return Lease{job, static_cast<std::uint64_t>(to_number(answer[0][0].text())), to_number(answer[0][1].text()), false};
}

Result<Answer> RedisJobBoard::ask(const driver::Script& script, const Lease& lease, std::vector<std::string> more) {
  check(lease.job < job_keys_.size(), "a lease of a job that there is not");
  const std::string time = now(), token = std::to_string(lease.token);
  Views arguments = {time, lease_ms_, token};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Question question = link_.question();
  question.commands.call(script, Views{job_keys_[lease.job]}, arguments);
  VARVE_ASSIGN_OR_RETURN(Answer answer, link_.run(question));
  if (answer[0].nil()) return lost(lease);
  return answer;
}

Result<Lease> RedisJobBoard::renew(const Lease& lease) {
  check(lease.job < job_keys_.size(), "a lease of a job that there is not");
  const std::string time = now(), token = std::to_string(lease.token);
  Views keys = {replicas_key_, job_keys_[lease.job]};
  keys.insert(keys.end(), job_keys_.begin(), job_keys_.end());
  Question question = link_.question();
  question.commands.call(renew_script(), keys, Views{time, lease_ms_, token});
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
  if (answer[0].size() != 3) return lost(lease);
  const auto held = static_cast<std::size_t>(answer[0][1].integer());
  const auto replicas = static_cast<std::size_t>(answer[0][2].integer());
  return Lease{lease.job, lease.token, to_number(answer[0][0].text()), held > share(replicas)};
}

Result<Turn> RedisJobBoard::turn(const Lease& lease) {
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const Answer answer, ask(held_script(), lease, {}));
    const model::Timestamp now_ms = to_number(answer[0][0].text());
    const std::int64_t next = to_number(answer[0][1].text());
    const std::int64_t number = timetable_.catch_up(lease.job, next, now_ms);
    if (number != next) {
      VARVE_ASSIGN_OR_RETURN(const Answer moved,
                             ask(move_script(), lease, {std::to_string(next), std::to_string(number)}));
      if (moved[0].integer() == 0) continue;  // another thread of ours has finished a turn meanwhile
    }
    const model::Timestamp due = timetable_.due_ms(lease.job, number);
    return Turn{number, timetable_.partition(lease.job, number), due, std::max<std::int64_t>(0, due - now_ms)};
  }
}

Status RedisJobBoard::finish(const Lease& lease, const Turn& turn) {
  VARVE_ASSIGN_OR_RETURN(const Answer moved, ask(move_script(), lease, {"", std::to_string(turn.number + 1)}));
  if (moved[0].integer() == 0) return fail(Code::conflict, "this turn is finished already");
  return {};
}

Status RedisJobBoard::release(const Lease& lease) {
  VARVE_RETURN_IF_ERROR(ask(release_script(), lease, {}));
  return {};
}

Result<std::vector<JobState>> RedisJobBoard::jobs() {
  VARVE_ASSIGN_OR_RETURN(const View view, look(""));
  std::vector<JobState> states;
  for (std::uint32_t number = 0; number < view.jobs.size(); ++number) {
    const Job& job = view.jobs[number];
    const bool is_held = job.expires_ms > view.now_ms;
    states.push_back({number, is_held ? job.holder : "", is_held ? job.expires_ms : 0,
                      timetable_.due_ms(number, timetable_.catch_up(number, job.next, view.now_ms))});
  }
  return states;
}

}  // namespace varve::tracker::redis
