// SPDX-License-Identifier: Apache-2.0
// Plan: chooses the cheapest encoding for a sequence of integers. Residuals are differences of order 0, 1 or 2, minus a
// base; their mean length in bits determines the order, the class of the symbols, and whether it is cheaper to list
// only the residuals that are not 0.
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
  double bits = 0;  // estimated size of all residuals
};

struct Range {
  std::int64_t min, max;
};

// `values` must not be empty.
Range range_of(std::span<const std::int64_t> values);

// `values` must not be empty. All arithmetic wraps, so any int64 is allowed.
Plan make_plan(std::span<const std::int64_t> values, Range range);

// The residual of value i ≥ order.
template <unsigned order>
constexpr std::uint64_t residual(const std::int64_t* v, std::size_t i, std::uint64_t base) {
  const auto u = [v](std::size_t k) { return static_cast<std::uint64_t>(v[k]); };
  if constexpr (order == 0) return u(i) - base;
  if constexpr (order == 1) return u(i) - u(i - 1) - base;
  if constexpr (order == 2) return u(i) - 2 * u(i - 1) + u(i - 2) - base;
}

constexpr std::uint64_t zigzag_of(std::uint64_t r) { return codec::zigzag(static_cast<std::int64_t>(r)); }

}  // namespace varve::chunk
