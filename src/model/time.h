// SPDX-License-Identifier: Apache-2.0
// Time inside varve: milliseconds since 1970-01-01 UTC as a signed 64-bit integer.
#pragma once

#include <cstdint>

namespace varve::model {

using Timestamp = std::int64_t;

// The range of samples' times: integers that JSON clients represent exactly.
inline constexpr Timestamp kTimestampMin = -(std::int64_t{1} << 53);
inline constexpr Timestamp kTimestampMax = std::int64_t{1} << 53;

// What samples cannot have as a time is no time for a point of an answer either.
constexpr bool is_timestamp(std::int64_t t) { return t >= kTimestampMin && t <= kTimestampMax; }
constexpr Timestamp nearest_timestamp(std::int64_t t) {
  if (t < kTimestampMin) return kTimestampMin;
  return t > kTimestampMax ? kTimestampMax : t;
}

inline constexpr std::int64_t kSecondMs = 1000;
inline constexpr std::int64_t kMinuteMs = 60 * kSecondMs;
inline constexpr std::int64_t kHourMs = 60 * kMinuteMs;
inline constexpr std::int64_t kDayMs = 24 * kHourMs;

// Half-open: [first, last). By default all times that samples may have.
struct TimeRange {
  Timestamp first = kTimestampMin;
  Timestamp last = kTimestampMax + 1;
  [[nodiscard]] bool contains(Timestamp t) const { return t >= first && t < last; }
  [[nodiscard]] bool overlaps(TimeRange other) const { return first < other.last && other.first < last; }
  [[nodiscard]] bool empty() const { return first >= last; }
  bool operator==(const TimeRange&) const = default;
};

// No limit, for what is made of samples, too: a window may begin before the first time that a sample may have, and end
// behind the last one. Sums of such times and of windows' widths do not overflow.
inline constexpr TimeRange kAllTime{-(std::int64_t{1} << 60), std::int64_t{1} << 60};

// The start of the window of `width_ms` > 0 that contains t; rounds down, also for negative times.
inline Timestamp window_start(Timestamp t, std::int64_t width_ms) {
  const std::int64_t rest = t % width_ms;
  return t - (rest < 0 ? rest + width_ms : rest);
}

}  // namespace varve::model
