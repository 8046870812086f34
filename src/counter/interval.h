// SPDX-License-Identifier: Apache-2.0
// Interval: the increase of a counter between two samples that follow each other.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

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
enum class Fall : std::uint8_t {
  unknown,    // it began anew somewhere in between: the interval does not count
  from_zero,  // it began anew at 0
  wrap32,     // it has 32 bits and went on from 0
};

struct Rules {
  std::int64_t gap_ms = 0;  // a longer interval does not count; one of exactly this length does
  Fall fall = Fall::unknown;
  std::optional<double> max_per_second = {};  // what is faster does not count
  // Its longs are Counter64: all their 64 bits are the value, also those that look negative.
  bool is_unsigned = false;

  bool operator==(const Rules&) const = default;
};

// Nothing if the interval does not count. `from` and `to` are neighbours, in order of time.
template <Value V>
std::optional<Interval<IncreaseOf<V>>> interval_between(const Sample<V>& from, const Sample<V>& to, const Rules& rules);

// Did the device restart, or say that the counter is not the same any more, after `begin` and until `end`? `breaks`:
// times of the first sample after each such event, ascending.
bool broken(std::span<const model::Timestamp> breaks, model::Timestamp begin, model::Timestamp end);

}  // namespace varve::counter
