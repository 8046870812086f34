// SPDX-License-Identifier: Apache-2.0
// ExactSum: a sum of doubles that keeps what rounding loses, as a second double (Neumaier).
#pragma once

#include <cmath>

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
    const double sum = high + x;
    if (std::isinf(sum)) {
      low = 0;
    } else {
      low += x_low + (std::fabs(high) >= std::fabs(x) ? (high - sum) + x : (x - sum) + high);
    }
    high = sum;
  }
};

// a − b, in two parts each.
inline double difference(const ExactSum& a, const ExactSum& b) { return (a.high - b.high) + (a.low - b.low); }

}  // namespace varve::language::promql
