// SPDX-License-Identifier: Apache-2.0
// Durations as configurations and queries write them: 15m. The units are ms s m h d w n y, where n are months.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/time_unit.h"

namespace varve::model {

struct Duration {
  std::int64_t count = 0;
  TimeUnit unit = TimeUnit::milliseconds;
  bool operator==(const Duration&) const = default;
};

// A whole number, also a negative one, and a unit; nothing else. Nothing: not that, or a number beyond 64 bits. Which
// numbers and units are allowed is the caller's to say.
std::optional<Duration> parse_duration(std::string_view text);

// In milliseconds, where a month has 30 days and a year has 365. Nothing: beyond 64 bits.
std::optional<std::int64_t> duration_ms(Duration duration);

}  // namespace varve::model
