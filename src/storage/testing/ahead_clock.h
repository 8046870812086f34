// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "base/clock.h"

namespace varve::storage::testing {

// The system's clock, or as far ahead of it as told.
class AheadClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t now_ms() const override { return system_.now_ms() + ahead_ms_; }
  [[nodiscard]] std::int64_t steady_ns() const override { return system_.steady_ns() + ahead_ms_ * 1'000'000; }
  void advance_ms(std::int64_t by_ms) { ahead_ms_ += by_ms; }

 private:
  SystemClock system_;
  std::atomic<std::int64_t> ahead_ms_ = 0;
};

}  // namespace varve::storage::testing
