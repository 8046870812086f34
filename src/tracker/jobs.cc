// SPDX-License-Identifier: Apache-2.0
#include "tracker/jobs.h"

#include <algorithm>

#include "base/check.h"

namespace varve::tracker {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

Timetable::Timetable(const JobOptions& options)
    : count_(static_cast<std::int64_t>(options.partitions.size())), period_ms_(options.period_ms) {
  check(period_ms_ > 0, "a period of nothing");
  jobs_.resize(std::min<std::size_t>(std::max(1U, options.jobs), options.partitions.size()));
  // Dealt out like cards, so that the turns of one job are as evenly apart as those of all.
  for (std::size_t i = 0; i < options.partitions.size(); ++i) jobs_[i % jobs_.size()].push_back(options.partitions[i]);
}

std::span<const std::uint32_t> Timetable::partitions(std::uint32_t job) const {
  check(job < jobs_.size(), "a job that there is not");
  return jobs_[job];
}

Timetable::Place Timetable::place(std::uint32_t job, std::int64_t turn) const {
  const auto mine = static_cast<std::int64_t>(partitions(job).size());
  const std::int64_t round = floor_div(turn, mine);
  return {round, turn - round * mine};
}

std::uint32_t Timetable::partition(std::uint32_t job, std::int64_t turn) const {
  return jobs_[job][static_cast<std::size_t>(place(job, turn).index)];
}

model::Timestamp Timetable::due_ms(std::uint32_t job, std::int64_t turn) const {
  const auto [round, index] = place(job, turn);
  return round * period_ms_ + (index * jobs() + job) * period_ms_ / count_;
}

std::int64_t Timetable::latest(std::uint32_t job, model::Timestamp now_ms) const {
  const auto mine = static_cast<std::int64_t>(partitions(job).size());
  const std::int64_t round = floor_div(now_ms, period_ms_);
  // The last partition of all whose time in this round has come; then the last one of this job up to there, which may
  // be of the round before.
  const std::int64_t last = ((now_ms - round * period_ms_ + 1) * count_ - 1) / period_ms_;
  return round * mine + std::min(floor_div(last - job, jobs()), mine - 1);
}

std::int64_t Timetable::catch_up(std::uint32_t job, std::int64_t next, model::Timestamp now_ms) const {
  const auto count = static_cast<std::int64_t>(partitions(job).size());
  const std::int64_t last = latest(job, now_ms);
  return std::clamp(next, last - count + 1, last + 1);
}

}  // namespace varve::tracker
