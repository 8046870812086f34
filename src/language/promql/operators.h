// SPDX-License-Identifier: Apache-2.0
// Operators between two numbers; is_comparison() is in names.h.
#pragma once

#include <cmath>

#include "language/promql/expression.h"
#include "language/promql/names.h"

namespace varve::language::promql {

// Of native histograms.
inline bool is_trim(BinaryOp op) { return op == BinaryOp::trim_upper || op == BinaryOp::trim_lower; }

inline bool compares(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::equal: return a == b;
    case BinaryOp::not_equal: return a != b;
    case BinaryOp::less: return a < b;
    case BinaryOp::at_most: return a <= b;
    case BinaryOp::more: return a > b;
    default: return a >= b;
  }
}

// Arithmetic.
inline double calculated(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::subtract: return a - b;
    case BinaryOp::multiply: return a * b;
    case BinaryOp::divide: return a / b;
    case BinaryOp::modulo: return std::fmod(a, b);
    case BinaryOp::power: return std::pow(a, b);
    default: return std::atan2(a, b);
  }
}

}  // namespace varve::language::promql
