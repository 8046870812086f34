// SPDX-License-Identifier: Apache-2.0
// Schedule: which job is due when: at k × frequency + phase, by the wall clock, whatever became of the times before. So
// nothing drifts, and jobs that begin together do not stay together. Pure: time is an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <string_view>
#include <vector>

#include "model/time.h"

namespace varve::snmp::schedule {

// The phase of a device: the same in every process.
std::int64_t phase_ms(std::string_view tenant, std::string_view device, std::int64_t frequency_ms);

// The first due time after `now_ms`.
model::Timestamp next_due(std::int64_t frequency_ms, std::int64_t phase_ms, model::Timestamp now_ms);

struct Due {
  std::uint32_t job = 0;
  model::Timestamp due_ms = 0;  // by the schedule
  std::uint64_t missed = 0;     // due times before this one that nobody came to
  bool is_extra = false;        // it was asked for by add_once()
};

// For one thread.
class Schedule {
 public:
  // A new job, whose first time is the next one after now. Returns its number, which may have been another's.
  std::uint32_t add(std::int64_t frequency_ms, std::int64_t phase_ms, model::Timestamp now_ms);
  void remove(std::uint32_t job);
  // The job is due at this time, too, and its other times stay. One at a time: false if there is one that nobody has
  // come to yet. A clock that is set back far forgets it.
  bool add_once(std::uint32_t job, model::Timestamp at_ms);

  // A job whose time has come; it comes again at its next time.
  std::optional<Due> pop(model::Timestamp now_ms);
  // Until the next one: 0 if one is due, `at_most` if none is before.
  [[nodiscard]] std::int64_t wait_ms(model::Timestamp now_ms, std::int64_t at_most) const;

 private:
  struct Job {
    std::int64_t frequency_ms = 0;  // 0: there is none
    std::int64_t phase_ms = 0;
    std::uint32_t generation = 0;
    bool has_extra = false;
  };
  struct Entry {
    model::Timestamp due_ms;
    std::uint32_t job, generation;
    bool is_extra = false;
    bool operator>(const Entry& other) const { return due_ms > other.due_ms; }
  };
  using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
  void plan_again(model::Timestamp now_ms);

  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_;
  Heap heap_;
  model::Timestamp latest_ms_ = model::kTimestampMin;  // that pop() was told
};

}  // namespace varve::snmp::schedule
