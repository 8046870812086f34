// SPDX-License-Identifier: Apache-2.0
// A clock whose wall time jumps when told to; its steady time goes on by what passes only.
#pragma once

#include <atomic>

#include "base/clock.h"

namespace varve::testing {

class JumpingClock final : public Clock {
 public:
  explicit JumpingClock(std::int64_t now_ms = 1'700'000'000'000) : passing_(now_ms) {}
  [[nodiscard]] std::int64_t now_ms() const override { return passing_.now_ms() + ahead_ms_; }
  [[nodiscard]] std::int64_t steady_ns() const override { return passing_.steady_ns(); }
  void advance_ms(std::int64_t by_ms) { passing_.advance_ms(by_ms); }
  void jump_ms(std::int64_t by_ms) { ahead_ms_ += by_ms; }

 private:
  ManualClock passing_;
  std::atomic<std::int64_t> ahead_ms_ = 0;
};

}  // namespace varve::testing
