// SPDX-License-Identifier: Apache-2.0
// Backoff: when a silent device is asked again: after a while that doubles each time, up to the longest. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace varve::snmp::schedule {

// For one thread.
class Backoff {
 public:
  [[nodiscard]] bool is_silent() const { return pause_ms_ > 0; }
  // Since when it may be tried again, by the clock of silent().
  [[nodiscard]] std::int64_t next_ms() const { return next_ms_; }

  // All tries of a request are over, or the single one of a silent device.
  void silent(std::int64_t now_ms, std::int64_t first_ms, std::int64_t longest_ms) {
    pause_ms_ = std::min(longest_ms, is_silent() ? pause_ms_ * 2 : first_ms);
    next_ms_ = now_ms + pause_ms_;
  }
  void answered() { pause_ms_ = 0; }

 private:
  std::int64_t pause_ms_ = 0;  // 0: it answers
  std::int64_t next_ms_ = 0;
};

}  // namespace varve::snmp::schedule
