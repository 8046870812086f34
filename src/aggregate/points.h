// SPDX-License-Identifier: Apache-2.0
// Points: samples of one group as owned columns, in order of time (equal times in order of value).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "model/time.h"
#include "model/value.h"

namespace varve::aggregate {

struct Points {
  std::vector<model::Timestamp> times;
  model::ValueType type = model::ValueType::double_;  // of all, unless `types` says otherwise
  std::vector<model::ValueType> types;                // of each; empty if all are of `type`
  std::vector<std::uint64_t> bits;                    // long and double: as in model::Value; empty for strings
  std::vector<std::string> texts;                     // string

  [[nodiscard]] std::size_t size() const { return times.size(); }
  [[nodiscard]] model::ValueType type_of(std::size_t i) const { return types.empty() ? type : types[i]; }

  void reverse() {
    std::ranges::reverse(times);
    std::ranges::reverse(types);
    std::ranges::reverse(bits);
    std::ranges::reverse(texts);
  }
};

// A number's value as a double: what comparisons and sums work with.
inline double as_double(model::ValueType type, std::uint64_t bits) {
  return type == model::ValueType::double_ ? std::bit_cast<double>(bits)
                                           : static_cast<double>(std::bit_cast<std::int64_t>(bits));
}

}  // namespace varve::aggregate
