// SPDX-License-Identifier: Apache-2.0
#include "counter/interval.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace varve::counter {
namespace {

constexpr double kWrap32 = 4294967296.0;

// What `to` is above `from`, or above 0 if the counter fell.
template <Value V>
std::optional<IncreaseOf<V>> increase(V from, V to, Fall fall) {
  using I = IncreaseOf<V>;
  // Unsigned, so that from the least long to the greatest there is no overflow.
  if (to >= from) return static_cast<I>(static_cast<I>(to) - static_cast<I>(from));
  if (to < V{0}) return std::nullopt;
  switch (fall) {
    case Fall::unknown: return std::nullopt;
    case Fall::from_zero: return static_cast<I>(to);
    case Fall::wrap32:
      if (static_cast<double>(from) >= kWrap32) return std::nullopt;  // it has more than 32 bits
      return static_cast<I>(static_cast<I>(to) + static_cast<I>(kWrap32) - static_cast<I>(from));
  }
  return std::nullopt;
}

}  // namespace

template <Value V>
std::optional<Interval<IncreaseOf<V>>> interval_between(const Sample<V>& from, const Sample<V>& to,
                                                        const Rules& rules) {
  check(from.time < to.time, "samples in order of time");
  // Unsigned: times may be as far apart as can be.
  const std::uint64_t length_ms = static_cast<std::uint64_t>(to.time) - static_cast<std::uint64_t>(from.time);
  if (length_ms > static_cast<std::uint64_t>(rules.gap_ms)) return std::nullopt;
  if constexpr (std::same_as<V, double>) {
    if (!std::isfinite(from.value) || !std::isfinite(to.value)) return std::nullopt;
  }
  const auto grown = increase(from.value, to.value, rules.fall);
  if (!grown) return std::nullopt;
  const double seconds = static_cast<double>(length_ms) / 1000;
  if (rules.max_per_second && static_cast<double>(*grown) > *rules.max_per_second * seconds) return std::nullopt;
  return Interval<IncreaseOf<V>>{from.time, to.time, *grown};
}

bool broken(std::span<const model::Timestamp> breaks, model::Timestamp begin, model::Timestamp end) {
  const auto after = std::ranges::upper_bound(breaks, begin);
  return after != breaks.end() && *after <= end;
}

template std::optional<Interval<std::uint64_t>> interval_between(const Sample<std::int64_t>&,
                                                                 const Sample<std::int64_t>&, const Rules&);
template std::optional<Interval<std::uint64_t>> interval_between(const Sample<std::uint64_t>&,
                                                                 const Sample<std::uint64_t>&, const Rules&);
template std::optional<Interval<double>> interval_between(const Sample<double>&, const Sample<double>&, const Rules&);

}  // namespace varve::counter
