// SPDX-License-Identifier: Apache-2.0
// Time is an argument. Code that needs "now" takes a Clock&, so tests advance it instead of sleeping.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace varve {

class Clock {
 public:
  virtual ~Clock() = default;
  // Wall clock, milliseconds since 1970-01-01 UTC. May jump. Thread-safe.
  [[nodiscard]] virtual std::int64_t now_ms() const = 0;
  // Monotonic nanoseconds from an arbitrary origin. Thread-safe.
  [[nodiscard]] virtual std::int64_t steady_ns() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t now_ms() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  }
  [[nodiscard]] std::int64_t steady_ns() const override {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  }
};

// For tests: advances only when told to.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t now_ms = 1'700'000'000'000) : now_ms_(now_ms) {}
  [[nodiscard]] std::int64_t now_ms() const override { return now_ms_; }
  [[nodiscard]] std::int64_t steady_ns() const override { return now_ms_ * 1'000'000; }
  void advance_ms(std::int64_t by_ms) { now_ms_ += by_ms; }

 private:
  std::atomic<std::int64_t> now_ms_;
};

}  // namespace varve
