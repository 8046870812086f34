// SPDX-License-Identifier: Apache-2.0
// How many writes may be under way: one more for each round in which all went well, half as many when some took too
// long. A Cassandra that is loaded answers WriteTimeout long before it would refuse anything; the driver tries these
// again by itself, so that slowness is what can be seen of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace varve::engine::cassandra {

// Not thread-safe.
class AdaptiveLimit {
 public:
  explicit AdaptiveLimit(std::size_t max) : max_(static_cast<double>(std::max<std::size_t>(1, max))), value_(max_) {}

  [[nodiscard]] std::size_t now() const { return static_cast<std::size_t>(value_); }

  // `busy`: as many were under way as may be; else nothing was learned about more of them.
  void went_well(bool busy) {
    if (busy) value_ = std::min(max_, value_ + 1 / value_);
  }
  // Only the first of those that were sent before the limit was lowered counts: they all met the same jam.
  void took_too_long(std::int64_t sent_ns, std::int64_t now_ns) {
    if (sent_ns < lowered_ns_) return;
    value_ = std::max(std::min(kMin, max_), value_ / 2);
    lowered_ns_ = now_ns;
  }

 private:
  static constexpr double kMin = 4;
  double max_, value_;
  std::int64_t lowered_ns_ = INT64_MIN;
};

}  // namespace varve::engine::cassandra
