// SPDX-License-Identifier: Apache-2.0
// Talk: how often the log has a line of a device. One that goes up and down all the time is told of now and then, with
// how many lines were left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace varve::snmp::poller {

class Talk {
 public:
  static constexpr std::uint8_t kAtOnce = 4;            // lines
  static constexpr std::int64_t kPauseMs = 5 * 60'000;  // in which there may be one more

  // How many were left out since the last one; nullopt: this one is, too. Times are of a steady clock.
  std::optional<std::uint32_t> say(std::int64_t now_ms) {
    const std::int64_t more = (now_ms - since_ms_) / kPauseMs;
    left_ = static_cast<std::uint8_t>(std::min<std::int64_t>(kAtOnce, left_ + more));
    since_ms_ += more * kPauseMs;
    if (left_ == 0) {
      ++untold_;
      return std::nullopt;
    }
    --left_;
    return std::exchange(untold_, 0U);
  }

 private:
  std::int64_t since_ms_ = 0;
  std::uint32_t untold_ = 0;
  std::uint8_t left_ = kAtOnce;
};

}  // namespace varve::snmp::poller
