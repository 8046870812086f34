// SPDX-License-Identifier: Apache-2.0
// MetricPairs: which pairs (of tags) the series of one metric have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "index/catalog.h"

namespace varve::index {

// Looks into the lists of the pairs that are asked for, as long as that costs less than to look at all series of the
// metric; then it does that, once. A page of hosts needs the few series of each, but one of a metric with three series
// among a million must not look at all that others have.
class MetricPairs {
 public:
  MetricPairs(const Catalog& catalog, std::uint32_t metric);

  [[nodiscard]] bool has(std::uint32_t pair);
  // How many series of the metric have it.
  [[nodiscard]] std::uint32_t count(std::uint32_t pair);

  // For questions about most pairs: counts all at once.
  void count_all();

 private:
  // The series of the metric with the pair, `wanted` at most. nullopt: it costs too much.
  [[nodiscard]] std::optional<std::uint32_t> look_for(std::uint32_t pair, std::uint32_t wanted);
  [[nodiscard]] bool has_series(std::uint32_t tag_set);

  const Catalog& catalog_;
  const std::uint32_t metric_;
  std::size_t steps_left_;
  std::vector<std::uint32_t> counts_;  // by pair, once all are counted
};

}  // namespace varve::index
