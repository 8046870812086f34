// SPDX-License-Identifier: Apache-2.0
// Counter samples: random polls of one counter, with outages, resets and values of all sizes; and summaries of them.
#pragma once

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "counter/declared.h"
#include "counter/summary.h"
#include "rollup/counters.h"

namespace varve::rollup::testing {

struct RandomCounter {
  std::vector<model::Timestamp> times;
  std::vector<std::uint64_t> bits;
  bool whole = true;

  RandomCounter(std::mt19937_64& random, model::Timestamp from, std::int64_t step_ms, std::size_t count, bool longs)
      : whole(longs) {
    std::uint64_t value = random() >> (1 + random() % 62);
    for (std::size_t i = 0; i < count; ++i) {
      from += 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * step_ms));
      if (random() % 25 == 0) from += 12 * step_ms;
      value = random() % 25 == 0 ? random() % 1000 : value + random() % 5000;
      times.push_back(from);
      const double real = static_cast<double>(value >> 1) / 16;
      bits.push_back(whole ? value : std::bit_cast<std::uint64_t>(real));
    }
  }
};

// All its windows of a width, as sealing makes them.
inline Windows windows_of(const RandomCounter& counter, const counter::Declaration& declared, std::int64_t width_ms,
                          PartPool& parts) {
  std::vector<double> values;
  for (const std::uint64_t bits : counter.bits) {
    values.push_back(counter.whole ? static_cast<double>(static_cast<std::int64_t>(bits))
                                   : std::bit_cast<double>(bits));
  }
  std::vector<Cut> cuts;
  Windows windows;
  cut(counter.times, width_ms, cuts);
  fold(Numbers{counter.times, values}, cuts, windows);
  add_counters({counter.times, counter.bits, counter.whole}, declared, cuts, windows, parts);
  return windows;
}

}  // namespace varve::rollup::testing
