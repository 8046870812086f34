// SPDX-License-Identifier: Apache-2.0
// Walk: the samples of one series, as they are stored, become its intervals.
//
//   LastSample last;
//   walk(evidence, last, type, times, bits, [&](const auto& interval) { add_to_bins(interval, …); });
//
// Between two longs the interval is of whole numbers; if one of both is a double, it is of real ones.
#pragma once

#include <bit>
#include <cmath>
#include <span>

#include "counter/declared.h"
#include "model/value.h"

namespace varve::counter {

// What an interval of a series is judged by. Views.
struct Evidence {
  Rules rules = {};
  std::span<const Ceiling> ceilings = {};         // as in Declaration
  std::span<const model::Timestamp> breaks = {};  // as of broken()

  // Would samples between these times be judged as by those rules, which were made when they were sealed? What is too
  // fast was known then, restarts were not.
  [[nodiscard]] bool agrees_with(const Rules& sealed, model::Timestamp first, model::Timestamp last) const;
};

// Where a walk has come to; of a walk that has not begun as it is made.
struct LastSample {
  bool is_there = false;
  model::ValueType type = model::ValueType::long_;
  model::Timestamp time = 0;
  std::uint64_t bits = 0;
};

// Does an interval that the rules let count also count by ceilings and breaks? `fell`: its last value is below its
// first.
template <Increase I>
bool counts_by(const Evidence& evidence, const Interval<I>& interval, bool fell);

// Puts the interval, if it counts by all evidence. Of most counters there are only rules.
template <Value V, class Put>
void put_interval(const Evidence& evidence, const Sample<V>& from, const Sample<V>& to, Put& put) {
  IncreaseOf<V> increase{};
  if (!grew(from, to, evidence.rules, increase)) return;
  const Interval<IncreaseOf<V>> interval{from.time, to.time, increase};
  const bool by_rules_only = evidence.ceilings.empty() && evidence.breaks.empty();
  if (by_rules_only || counts_by(evidence, interval, to.value < from.value)) put(interval);
}

// A value that is compared with one of another type.
inline double real_of(const Rules& rules, model::ValueType type, std::uint64_t bits) {
  if (type == model::ValueType::double_) return std::bit_cast<double>(bits);
  return rules.is_unsigned ? static_cast<double>(bits) : static_cast<double>(std::bit_cast<std::int64_t>(bits));
}

template <Value V, class Put>
void walk_values(const Evidence& evidence, LastSample& last, model::ValueType type,
                 std::span<const model::Timestamp> times, std::span<const std::uint64_t> bits, Put& put) {
  Sample<V> from{last.time, std::bit_cast<V>(last.bits)};
  bool is_same = last.is_there && last.type == type;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Sample<V> to{times[i], std::bit_cast<V>(bits[i])};
    if constexpr (std::same_as<V, double>) {
      if (!std::isfinite(to.value)) continue;
    }
    if (is_same) {
      put_interval(evidence, from, to, put);
    } else if (last.is_there) {
      const Sample<double> other{last.time, real_of(evidence.rules, last.type, last.bits)};
      const Sample<double> real{to.time, real_of(evidence.rules, type, bits[i])};
      put_interval(evidence, other, real, put);
    }
    last.is_there = is_same = true;
    from = to;
  }
  if (is_same) last = {true, type, from.time, std::bit_cast<std::uint64_t>(from.value)};
}

// Numbers of one type, ascending, all behind those of the calls before. Calls `put` with each interval that counts, in
// order of time. NaN and infinities are not there.
template <class Put>
void walk(const Evidence& evidence, LastSample& last, model::ValueType type, std::span<const model::Timestamp> times,
          std::span<const std::uint64_t> bits, Put put) {
  if (type == model::ValueType::double_) {
    walk_values<double>(evidence, last, type, times, bits, put);
  } else if (evidence.rules.is_unsigned) {
    walk_values<std::uint64_t>(evidence, last, type, times, bits, put);
  } else {
    walk_values<std::int64_t>(evidence, last, type, times, bits, put);
  }
}

}  // namespace varve::counter
