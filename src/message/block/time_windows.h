// SPDX-License-Identifier: Apache-2.0
// TimeWindows: the windows of time that messages of a block are in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "message/block/block.h"

namespace varve::message::block {

class TimeWindows {
 public:
  TimeWindows() = default;  // one for all
  // Of a block whose messages lie between the two.
  TimeWindows(const GroupColumn& asked, std::int64_t first_us, std::int64_t last_us) : first_us_(first_us) {
    width_ = asked.window_ns != 0 ? Wide{asked.window_ns} : Wide{asked.window_us} * kNsPerUs;
    const Wide origin = asked.window_ns != 0 ? asked.origin_ns : 0, distance = ns(first_us) - origin;
    const Wide rest = distance % width_;
    start_ = ns(first_us) - rest - (rest < 0 ? width_ : 0);
    count_ = static_cast<std::uint64_t>((ns(last_us) + kNsPerUs - 1 - start_) / width_) + 1;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }

  // Adds the number of its window to what is there for each row. `nanos`: empty: all are 0.
  void number(const std::vector<std::int64_t>& times_us, const std::vector<std::int64_t>& nanos,
              std::vector<std::uint64_t>& rows) const {
    Wide end = start_ + width_;  // of the window at hand: most rows are in that of the one before
    std::uint64_t window = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Wide at = ns(times_us[row]) + (nanos.empty() ? 0 : nanos[row]);
      if (at >= end || at < end - width_) {
        window = static_cast<std::uint64_t>((at - start_) / width_);
        end = start_ + (Wide{window} + 1) * width_;
      }
      rows[row] += window;
    }
  }

  struct Time {
    std::int64_t us;
    unsigned nanos;
  };
  // In the window, and not before the block's first message.
  [[nodiscard]] Time time_in(std::uint64_t window) const {
    const Wide at = std::max(ns(first_us_), start_ + Wide{window} * width_);
    const Wide rest = (at % kNsPerUs + kNsPerUs) % kNsPerUs;
    return {static_cast<std::int64_t>((at - rest) / kNsPerUs), static_cast<unsigned>(rest)};
  }

 private:
  __extension__ typedef __int128 Wide;  // any time in nanoseconds
  static constexpr std::int64_t kNsPerUs = 1000;
  static Wide ns(std::int64_t us) { return Wide{us} * kNsPerUs; }

  std::int64_t first_us_ = 0;
  Wide start_ = 0, width_ = 1;
  std::uint64_t count_ = 1;
};

}  // namespace varve::message::block
