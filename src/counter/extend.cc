// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "base/check.h"
#include "counter/base_bins.h"
#include "counter/summary.h"

namespace varve::counter {
namespace {

// What changes with each sample is held apart from the summary.
template <Value V, Increase I = IncreaseOf<V>>
void extend_by(Summary<I>& summary, std::span<const model::Timestamp> times, std::span<const std::uint64_t> bits,
               const Rules& rules) {
  const std::int64_t base_ms = summary.terms.base_ms;
  Sample<V> last{summary.last.time, std::bit_cast<V>(summary.last.value)};
  Bin<I> open = open_bin(summary);
  I increase = summary.increase;
  std::int64_t covered_ms = summary.covered_ms;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Sample<V> sample{times[i], std::bit_cast<V>(bits[i])};
    if constexpr (std::same_as<V, double>) {
      if (!std::isfinite(sample.value)) continue;
    }
    I grown{};
    if (grew(last, sample, rules, grown)) {
      increase = sum_of(increase, grown);
      covered_ms += sample.time - last.time;
      spread(Interval<I>{last.time, sample.time, grown}, base_ms, open,
             [&]() __attribute__((always_inline)) { end(summary, open); });
    } else if (const auto start = model::window_start(sample.time, base_ms); start != open.start) {
      end(summary, open);
      open = {start, {}, 0};
    }
    last = sample;
  }
  summary.last = {last.time, std::bit_cast<I>(last.value)};
  summary.increase = increase;
  summary.covered_ms = covered_ms;
  put_open(summary, open);
}

}  // namespace

template <>
void extend(Summary<std::uint64_t>& summary, std::span<const model::Timestamp> times,
            std::span<const std::uint64_t> bits, const Rules& rules) {
  if (rules.is_unsigned) {
    extend_by<std::uint64_t>(summary, times, bits, rules);
  } else {
    extend_by<std::int64_t>(summary, times, bits, rules);
  }
}

template <>
void extend(Summary<double>& summary, std::span<const model::Timestamp> times, std::span<const std::uint64_t> bits,
            const Rules& rules) {
  extend_by<double>(summary, times, bits, rules);
}

}  // namespace varve::counter
