// SPDX-License-Identifier: Apache-2.0
// MessageIntake: which messages are taken now, for every way in: by their time, and by what overload leaves of them.
//
//   const auto limits = intake.limits();        // once for each request
//   parse(body, limits, batch);                 // protocol/: what is not taken is not in the batch
//   intake.count(limits);
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "protocol/messages/limits.h"
#include "write/watermarks.h"

namespace varve::write {

struct IntakeOptions {
  message::Classes classes;    // a message that is older than its class is kept is refused
  std::int64_t future_ms = 0;  // one that is further ahead of the clock, too
  std::vector<Watermark> disk = {};
  std::vector<Watermark> backlog = {};
  // In percent. Cheap; called by any thread. Not set: there is no such gauge.
  std::function<double()> disk_percent = {};     // asked once a second
  std::function<double()> backlog_percent = {};  // asked for each request
};

// Thread-safe.
class MessageIntake {
 public:
  MessageIntake(IntakeOptions options, const Clock& clock, Metrics& metrics);

  // For one request.
  [[nodiscard]] protocol::messages::Limits limits();
  // Counts what was dropped of it.
  void count(const protocol::messages::Limits& limits);
  // Is something dropped now?
  [[nodiscard]] bool is_shedding() { return dropped_level() != Watermarks::kNothing; }

 private:
  int dropped_level();
  int level_of_disk();
  [[nodiscard]] std::string why(int level) const;

  const IntakeOptions options_;
  const Clock& clock_;
  Watermarks disk_;
  Watermarks backlog_;
  std::atomic<std::int64_t> disk_next_ns_;  // when the disk is asked again
  std::atomic<int> disk_level_{Watermarks::kNothing};
  std::atomic<int> level_{Watermarks::kNothing};  // as was logged last
  std::vector<Counter*> shed_;                    // by place in Shed
};

}  // namespace varve::write
