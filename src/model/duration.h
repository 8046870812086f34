// SPDX-License-Identifier: Apache-2.0
// Durations as in configurations and queries: 15m. The units are ms s m h d w n y, where n means months.
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

// Parses an integer, which may be negative, followed by a unit. nullopt: anything else, or a number beyond 64 bits. The
// caller checks which numbers and units it allows.
std::optional<Duration> parse_duration(std::string_view text);

// The duration in milliseconds, with months of 30 days and years of 365. nullopt: beyond 64 bits.
std::optional<std::int64_t> duration_ms(Duration duration);

}  // namespace varve::model
