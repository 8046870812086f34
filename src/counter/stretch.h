// SPDX-License-Identifier: Apache-2.0
// Stretch: what a question of how much a counter grew needs of a summary; half its size, without base bins.
#pragma once

#include "counter/summary.h"
#include "counter/walk.h"

namespace varve::counter {

struct Stretch {
  Rules rules = {};  // without max_per_second
  // Whole values are long; `increase` is of this type, too: its bits.
  model::ValueType type = model::ValueType::long_;
  model::Timestamp first_time = 0, last_time = 0;
  std::uint64_t first = 0, last = 0;  // bits
  std::uint64_t increase = 0;         // between these two, of intervals that count
  std::int64_t covered_ms = 0;

  [[nodiscard]] LastSample first_sample() const { return {true, type, first_time, first}; }
  [[nodiscard]] LastSample last_sample() const { return {true, type, last_time, last}; }
  bool operator==(const Stretch&) const = default;
};

Stretch stretch_of(const AnySummary& summary);

}  // namespace varve::counter
