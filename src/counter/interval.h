// SPDX-License-Identifier: Apache-2.0
// Interval: the increase of a counter between two samples that follow each other.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "base/check.h"
#include "model/time.h"

namespace varve::counter {

// Values of a counter: signed long, Counter64 (all 64 bits), double.
template <class V>
concept Value = std::same_as<V, std::int64_t> || std::same_as<V, std::uint64_t> || std::same_as<V, double>;

// An increase is never negative; that of whole values is whole.
template <class I>
concept Increase = std::same_as<I, std::uint64_t> || std::same_as<I, double>;

template <Value V>
using IncreaseOf = std::conditional_t<std::same_as<V, double>, double, std::uint64_t>;

template <Value V>
struct Sample {
  model::Timestamp time = 0;
  V value{};
};

template <Increase I>
struct Interval {
  model::Timestamp begin = 0, end = 0;  // begin < end
  I increase{};
};

// What it means that a value is smaller than the one before.
// On disk: DO NOT CHANGE THE NUMBERS.
enum class Fall : std::uint8_t {
  unknown = 0,    // it began anew somewhere in between: the interval does not count
  from_zero = 1,  // it began anew at 0
  wrap32 = 2,     // it has 32 bits and went on from 0
};

struct Rules {
  std::int64_t gap_ms = 0;  // a longer interval does not count; one of exactly this length does
  Fall fall = Fall::unknown;
  std::optional<double> max_per_second = {};  // what is faster does not count
  // Of a counter that fell: going on from 0 (wrap32) is believed up to this only.
  std::optional<double> max_wrap_per_second = {};
  // Its longs are Counter64: all their 64 bits are the value, also those that look negative.
  bool is_unsigned = false;

  bool operator==(const Rules&) const = default;
};

namespace detail {

inline constexpr double kWrap32 = 4294967296.0;

// What `to` is above `from`, or above 0 if the counter fell. False: nobody knows.
template <Value V>
bool increase(V from, V to, Fall fall, IncreaseOf<V>& out) {
  using I = IncreaseOf<V>;
  if (to >= from) {
    // Unsigned, so that from the least long to the greatest there is no overflow.
    out = static_cast<I>(static_cast<I>(to) - static_cast<I>(from));
    return true;
  }
  if (to < V{0} || fall == Fall::unknown) return false;
  if (fall == Fall::from_zero) {
    out = static_cast<I>(to);
    return true;
  }
  if (static_cast<double>(from) >= kWrap32) return false;  // it has more than 32 bits
  out = static_cast<I>(static_cast<I>(to) + static_cast<I>(kWrap32) - static_cast<I>(from));
  return true;
}

}  // namespace detail

// Does the interval count? Then `increase` is set. `from` and `to` are neighbours, in order of time.
// Not an optional interval: of each sample, what is copied right after it was written costs more than all the rest.
template <Value V>
bool grew(const Sample<V>& from, const Sample<V>& to, const Rules& rules, IncreaseOf<V>& increase) {
  check(from.time < to.time, "samples in order of time");
  // Unsigned: times may be as far apart as can be.
  const std::uint64_t length_ms = static_cast<std::uint64_t>(to.time) - static_cast<std::uint64_t>(from.time);
  if (length_ms > static_cast<std::uint64_t>(rules.gap_ms)) return false;
  if constexpr (std::same_as<V, double>) {
    if (!std::isfinite(from.value) || !std::isfinite(to.value)) return false;
  }
  if (!detail::increase(from.value, to.value, rules.fall, increase)) return false;
  const double seconds = static_cast<double>(length_ms) / 1000;
  if (to.value < from.value && rules.max_wrap_per_second) {
    if (static_cast<double>(increase) > *rules.max_wrap_per_second * seconds) return false;
  }
  return !rules.max_per_second || static_cast<double>(increase) <= *rules.max_per_second * seconds;
}

// The same; nothing if the interval does not count.
template <Value V>
std::optional<Interval<IncreaseOf<V>>> interval_between(const Sample<V>& from, const Sample<V>& to,
                                                        const Rules& rules) {
  Interval<IncreaseOf<V>> out{from.time, to.time, {}};
  if (!grew(from, to, rules, out.increase)) return std::nullopt;
  return out;
}

// Did the device restart, or say that the counter is not the same any more, after `begin` and until `end`? `breaks`:
// times of the first sample after each such event, ascending.
bool broken(std::span<const model::Timestamp> breaks, model::Timestamp begin, model::Timestamp end);

}  // namespace varve::counter
