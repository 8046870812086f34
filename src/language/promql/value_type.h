// SPDX-License-Identifier: Apache-2.0
// What an expression of PromQL evaluates to.
#pragma once

#include <cstdint>
#include <string_view>

namespace varve::language::promql {

enum class ValueType : std::uint8_t {
  scalar,
  vector,  // a value of each series
  matrix,  // a range of samples of each series
  string
};

}  // namespace varve::language::promql
