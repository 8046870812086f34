// SPDX-License-Identifier: Apache-2.0
// Plan: how a sequence of integers is best written. Differences of order 0, 1 or 2, less a base, give residuals; their
// mean length in bits says which order is cheapest, into which class the symbols go, and whether it is cheaper to list
// the few residuals that are not 0.
#pragma once

#include <cstdint>
#include <span>

#include "codec/varint.h"

namespace varve::chunk {

struct Plan {
  unsigned order = 0;
  std::uint64_t base = 0;
  bool sparse = false;
  unsigned symbol_class = 0;
  unsigned shift = 0;
  double bits = 0;  // estimate for all residuals
};

struct Range {
  std::int64_t min, max;
};

// values is not empty.
Range range_of(std::span<const std::int64_t> values);

// values is not empty. All arithmetic wraps: any int64 is fine.
Plan make_plan(std::span<const std::int64_t> values, Range range);

// Residual `i` counted in values; i ≥ order.
template <unsigned order>
constexpr std::uint64_t residual(const std::int64_t* v, std::size_t i, std::uint64_t base) {
  const auto u = [v](std::size_t k) { return static_cast<std::uint64_t>(v[k]); };
  if constexpr (order == 0) return u(i) - base;
  if constexpr (order == 1) return u(i) - u(i - 1) - base;
  if constexpr (order == 2) return u(i) - 2 * u(i - 1) + u(i - 2) - base;
}

constexpr std::uint64_t zigzag_of(std::uint64_t r) { return codec::zigzag(static_cast<std::int64_t>(r)); }

}  // namespace varve::chunk
