// SPDX-License-Identifier: Apache-2.0
#include "aggregate/score.h"

#include <utility>

namespace varve::aggregate {

Points apply(const Score& score, Points in) {
  in = as_doubles(std::move(in));
  std::vector<double> passed(in.bits.size(), 0);
  for (const Threshold& threshold : score.thresholds) {
    // Threshold by threshold over the whole column; equal ones are passed where they count as such.
    const double least = threshold.value;
    const bool equal = threshold.counts_equal;
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const double value = std::bit_cast<double>(in.bits[i]);
      passed[i] += value > least || (equal && value == least) ? 1 : 0;
    }
  }
  const auto n = static_cast<double>(score.thresholds.size());
  for (std::size_t i = 0; i < passed.size(); ++i) {
    in.bits[i] = std::bit_cast<std::uint64_t>(score.descending ? n - passed[i] : passed[i]);
  }
  return in;
}

}  // namespace varve::aggregate
