// SPDX-License-Identifier: Apache-2.0
// ExactSum: a sum of doubles that keeps what rounding loses, as a second double (Neumaier).
#pragma once

#include <cmath>
#include <limits>

namespace varve::language::promql {

struct ExactSum {
  double high = 0;
  double low = 0;

  void add(double x) { add(x, 0); }
  void join(const ExactSum& other) { add(other.high, other.low); }
  [[nodiscard]] double value() const { return high + low; }

  // This divided by n, also in two parts.
  [[nodiscard]] ExactSum over(double n) const {
    const double quotient = high / n;
    if (!std::isfinite(quotient)) return {quotient, 0};
    return {quotient, (std::fma(-quotient, n, high) + low) / n};
  }

 private:
  void add(double x, double x_low) {
    // Without branches: sums of several steps are made at once.
    const double sum = high + x, of_high = (high - sum) + x, of_x = (x - sum) + high;
    const double kept = low + (x_low + (std::fabs(high) >= std::fabs(x) ? of_high : of_x));
    low = std::fabs(sum) == std::numeric_limits<double>::infinity() ? 0 : kept;
    high = sum;
  }
};

// a − b, in two parts each.
inline double difference(const ExactSum& a, const ExactSum& b) { return (a.high - b.high) + (a.low - b.low); }

}  // namespace varve::language::promql
