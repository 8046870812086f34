// SPDX-License-Identifier: Apache-2.0
// SeriesStats: facts about a series that are known without reading its samples.
#pragma once

#include <cstdint>

#include "model/time.h"
#include "model/value.h"

namespace varve::storage {

// Covers every sample with a value that was stored and not erased, including samples beyond their retention. If every
// group of the series has a TTL, its entry disappears when the last sample expires, and the first time is clamped to
// the oldest sample that may still be alive. Expired samples may be counted until they are physically removed. A sample
// that was written again may count again until its fragments are merged, and one that is in two line groups counts in
// each.
struct SeriesStats {
  model::Timestamp first_ms = 0;  // smallest and largest timestamp; meaningless without points
  model::Timestamp last_ms = 0;
  std::uint64_t points = 0;
  std::uint8_t types = 0;  // bit_of() of each type that occurred

  static constexpr std::uint8_t bit_of(model::ValueType type) {
    return static_cast<std::uint8_t>(1U << (static_cast<unsigned>(type) - 1));
  }
  [[nodiscard]] bool has(model::ValueType type) const { return (types & bit_of(type)) != 0; }

  // Does the time from the first to the last sample overlap the range? There may be no sample in the overlap.
  [[nodiscard]] bool seen_in(model::TimeRange range) const {
    return points != 0 && first_ms < range.last && last_ms >= range.first;
  }

  // The stats without what lies before `from`.
  [[nodiscard]] SeriesStats since(model::Timestamp from) const {
    if (points == 0 || last_ms < from) return {};
    SeriesStats left = *this;
    left.first_ms = first_ms < from ? from : first_ms;
    return left;
  }

  void add(const SeriesStats& more) {
    if (more.points == 0) return;
    first_ms = points == 0 || more.first_ms < first_ms ? more.first_ms : first_ms;
    last_ms = points == 0 || more.last_ms > last_ms ? more.last_ms : last_ms;
    points += more.points;
    types |= more.types;
  }
  bool operator==(const SeriesStats&) const = default;
};

// Of all series of a metric.
struct MetricStats {
  std::uint64_t series = 0;
  SeriesStats stats = {};
  bool operator==(const MetricStats&) const = default;
};

}  // namespace varve::storage
