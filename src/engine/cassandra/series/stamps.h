// SPDX-License-Identifier: Apache-2.0
// Stamps: times of this process that never go back, although clocks do; and some that nobody else has here. What was
// written before a stamp was drawn is told from what was written after it, however little time lies between.
#pragma once

#include <atomic>
#include <cstdint>

namespace varve::engine::cassandra {

// Thread-safe. µs since 1970.
class Stamps {
 public:
  // Not before any other.
  std::int64_t now(std::int64_t now_us) {
    std::int64_t last = last_us_.load();
    while (now_us > last && !last_us_.compare_exchange_weak(last, now_us)) {
    }
    return now_us > last ? now_us : last;
  }
  // After every other.
  std::int64_t draw(std::int64_t now_us) {
    std::int64_t last = last_us_.load();
    while (!last_us_.compare_exchange_weak(last, now_us > last ? now_us : last + 1)) {
    }
    return now_us > last ? now_us : last + 1;
  }
  // So many, one after the other, all after every other; the first of them.
  std::int64_t draw_many(std::int64_t now_us, std::int64_t count) {
    std::int64_t last = last_us_.load();
    const auto first = [&] { return now_us > last ? now_us : last + 1; };
    while (!last_us_.compare_exchange_weak(last, first() + count - 1)) {
    }
    return first();
  }

 private:
  std::atomic<std::int64_t> last_us_{0};
};

}  // namespace varve::engine::cassandra
