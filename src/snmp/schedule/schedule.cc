// SPDX-License-Identifier: Apache-2.0
#include "snmp/schedule/schedule.h"

#include <algorithm>
#include <functional>
#include <string>

#include "codec/hash.h"

namespace varve::snmp::schedule {
namespace {

// A clock that is set back further is taken to be right.
constexpr std::int64_t kBackMs = 1000;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

std::int64_t phase_ms(std::string_view tenant, std::string_view device, std::int64_t frequency_ms) {
  std::string name(tenant);
  name += '\0';
  name += device;
  return static_cast<std::int64_t>(codec::murmur3_128(name)[0] % static_cast<std::uint64_t>(frequency_ms));
}

model::Timestamp next_due(std::int64_t frequency_ms, std::int64_t phase_ms, model::Timestamp now_ms) {
  return (floor_div(now_ms - phase_ms, frequency_ms) + 1) * frequency_ms + phase_ms;
}

std::uint32_t Schedule::add(std::int64_t frequency_ms, std::int64_t phase_ms, model::Timestamp now_ms) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(jobs_.size()));
    jobs_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Job& job = jobs_[number];
  job = {frequency_ms, phase_ms, job.generation + 1, false};
  heap_.push({next_due(frequency_ms, phase_ms, now_ms), number, job.generation});
  return number;
}

void Schedule::remove(std::uint32_t job) {
  jobs_[job].frequency_ms = 0;
  ++jobs_[job].generation;  // what the heap has of it is passed over
  free_.push_back(job);
}

bool Schedule::add_once(std::uint32_t job, model::Timestamp at_ms) {
  Job& of = jobs_[job];
  if (of.has_extra) return false;
  of.has_extra = true;
  heap_.push({at_ms, job, of.generation, true});
  return true;
}

void Schedule::plan_again(model::Timestamp now_ms) {
  heap_ = Heap();
  for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    job.has_extra = false;
    if (job.frequency_ms > 0) heap_.push({next_due(job.frequency_ms, job.phase_ms, now_ms), i, job.generation});
  }
}

std::optional<Due> Schedule::pop(model::Timestamp now_ms) {
  if (now_ms < latest_ms_ - kBackMs) plan_again(now_ms);
  latest_ms_ = now_ms;
  while (!heap_.empty() && heap_.top().due_ms <= now_ms) {
    const Entry entry = heap_.top();
    heap_.pop();
    Job& job = jobs_[entry.job];
    if (job.generation != entry.generation) continue;
    if (entry.is_extra) {
      job.has_extra = false;
      return Due{entry.job, entry.due_ms, 0, true};
    }
    const model::Timestamp next = next_due(job.frequency_ms, job.phase_ms, now_ms);
    const model::Timestamp due = next - job.frequency_ms;
    heap_.push({next, entry.job, entry.generation});
    return Due{entry.job, due, static_cast<std::uint64_t>((due - entry.due_ms) / job.frequency_ms)};
  }
  return std::nullopt;
}

std::int64_t Schedule::wait_ms(model::Timestamp now_ms, std::int64_t at_most) const {
  if (heap_.empty()) return at_most;
  return std::clamp<std::int64_t>(heap_.top().due_ms - now_ms, 0, at_most);
}

}  // namespace varve::snmp::schedule
