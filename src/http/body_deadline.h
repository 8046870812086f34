// SPDX-License-Identifier: Apache-2.0
// BodyDeadline: until when more of a body has to come. A sender must not fall silent, and in all its bytes have to come
// at some rate: else who sends just enough not to be silent would hold a connection, and what has come, for days.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/check.h"

namespace varve::http {

// Of one body at a time. The time is an argument.
class BodyDeadline {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kProgressBytes = 4096;  // less than this does not count as progress

  // `rate` ≥ 1: bytes a second.
  BodyDeadline(std::chrono::milliseconds timeout, std::size_t rate) : timeout_(timeout), rate_(rate) {
    check(rate > 0, "a body has to come at some rate");
  }

  // So much of it is there already.
  void begin(std::size_t bytes, Time now) {
    begun_ = last_progress_ = now;
    bytes_ = bytes;
    since_ = 0;
  }
  void took(std::size_t bytes, Time now) {
    bytes_ += bytes;
    since_ += bytes;
    if (since_ < kProgressBytes) return;
    since_ = 0;
    last_progress_ = now;
  }
  // Time left; 0 where it is over.
  [[nodiscard]] std::chrono::milliseconds left(Time now) const {
    const std::chrono::milliseconds paid(bytes_ / rate_ * 1000 + bytes_ % rate_ * 1000 / rate_);
    const Time until = std::min(last_progress_, begun_ + paid) + timeout_;
    return std::chrono::ceil<std::chrono::milliseconds>(std::max(until - now, Time::duration::zero()));
  }

 private:
  const std::chrono::milliseconds timeout_;
  const std::size_t rate_;
  Time begun_{};
  Time last_progress_{};
  std::size_t bytes_ = 0;
  std::size_t since_ = 0;  // the last progress
};

}  // namespace varve::http
