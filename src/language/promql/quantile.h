// SPDX-License-Identifier: Apache-2.0
// Quantiles of sorted values, between the two that are nearest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace varve::language::promql {

// NaN is the least number.
inline bool is_less_number(double a, double b) { return a < b || (std::isnan(a) && !std::isnan(b)); }

// `at(i)`: the i-th least of `size` values. Of none, and where q is NaN, NaN; q < 0: −∞, q > 1: +∞.
template <class At>
double quantile_of(double q, std::size_t size, At at) {
  if (size == 0 || std::isnan(q)) return std::numeric_limits<double>::quiet_NaN();
  if (q < 0) return -std::numeric_limits<double>::infinity();
  if (q > 1) return std::numeric_limits<double>::infinity();
  const double rank = q * static_cast<double>(size - 1);
  const auto lower = static_cast<std::size_t>(std::floor(rank));
  const std::size_t upper = std::min(size - 1, lower + 1);
  const double weight = rank - std::floor(rank);
  return at(lower) * (1 - weight) + at(upper) * weight;
}

// The values are sorted.
inline double quantile_of(double q, std::vector<double>& values) {
  std::ranges::sort(values, is_less_number);
  return quantile_of(q, values.size(), [&](std::size_t i) { return values[i]; });
}

}  // namespace varve::language::promql
