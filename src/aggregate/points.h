// SPDX-License-Identifier: Apache-2.0
// Points: samples of one group as owned columns, in order of time (equal times in order of value).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/time.h"
#include "model/value.h"

namespace varve::aggregate {

struct Points {
  std::vector<model::Timestamp> times;
  model::ValueType type = model::ValueType::double_;  // of all, unless `types` says otherwise
  std::vector<model::ValueType> types;                // of each; empty if all are of `type`
  std::vector<std::uint64_t> bits;                    // numbers: as in model::Value; else empty
  std::vector<std::string> texts;                     // the others: as in model::Value::text; else empty
  std::vector<std::uint8_t> nulls;                    // of each: 1 where there is a time but no value; empty: nowhere
  // For each histogram the number of values it counted before steps removed some; empty: unchanged.
  std::vector<std::uint64_t> originals;
  // For each window of counters, how much of it is known, where CounterStage::shows_coverage asks for that; else empty.
  std::vector<std::int64_t> covered_ms;

  [[nodiscard]] std::size_t size() const { return times.size(); }
  [[nodiscard]] model::ValueType type_of(std::size_t i) const { return types.empty() ? type : types[i]; }

  // All points are numbers, or all have the same other type.
  [[nodiscard]] bool in_text() const { return model::in_text(type); }
  [[nodiscard]] bool is_null(std::size_t i) const { return !nulls.empty() && nulls[i] != 0; }
  // A number's value, as comparisons and sums use it.
  [[nodiscard]] double number(std::size_t i) const;

  // Appends a number; switches to one type per point with the first number of another type.
  void push(model::Timestamp time, model::ValueType of, std::uint64_t value) {
    if (times.empty()) type = of;
    if (types.empty() && of != type) types.assign(times.size(), type);
    if (!types.empty()) types.push_back(of);
    times.push_back(time);
    bits.push_back(value);
  }

  void reverse() {
    std::ranges::reverse(times);
    std::ranges::reverse(types);
    std::ranges::reverse(bits);
    std::ranges::reverse(texts);
    std::ranges::reverse(nulls);
    std::ranges::reverse(originals);
    std::ranges::reverse(covered_ms);
  }
};

// Keeps the points with kept[i] != 0, in order. One entry per point.
Points keep(Points in, std::span<const std::uint8_t> kept);
Points without_nulls(Points in);
// Without points at times that no sample can have: where a window begins before or ends behind all of these. `in`:
// times ascend or descend.
Points at_timestamps(Points in);
// All numbers as doubles; nulls stay.
Points as_doubles(Points in);

// A number's value as a double: what comparisons and sums work with.
inline double as_double(model::ValueType type, std::uint64_t bits) {
  return type == model::ValueType::double_ ? std::bit_cast<double>(bits)
                                           : static_cast<double>(std::bit_cast<std::int64_t>(bits));
}
inline double Points::number(std::size_t i) const { return as_double(type_of(i), bits[i]); }

}  // namespace varve::aggregate
