// SPDX-License-Identifier: Apache-2.0
// MetricPairs: which pairs (of tags) the series of one metric have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "index/catalog.h"
#include "index/name_walk.h"

namespace varve::index {

// Of a large metric the wide pairs are counted already. Else it looks into the lists of the pairs that are asked for,
// as long as that costs less than to look at all series of the metric; then it does that, once. A page of hosts needs
// the few series of each, but one of a metric with three series among a million must not look at all that others have.
class MetricPairs {
 public:
  MetricPairs(const Catalog& catalog, std::uint32_t metric);

  [[nodiscard]] bool has(std::uint32_t pair);
  // How many series of the metric have it.
  [[nodiscard]] std::uint32_t count(std::uint32_t pair);

  // Does the metric have series with the key?
  [[nodiscard]] bool has_key(std::uint32_t key);

  // Calls f(pair) for values of the key, in order, from the first of the page on until it says false. Those that no
  // series of the metric has may be left out.
  template <class F>
  void walk_values(std::uint32_t key, const NamePage& page, F&& f) const {
    const auto& values = catalog_.keys[key].pairs;
    if (large_ == nullptr) return walk_names(catalog_, values, catalog_.pairs, page, f);
    const auto* const span = large_->find_key(key);
    if (span == nullptr || page.starts_behind(catalog_.name_of(catalog_.pairs[span->last]))) return;
    walk_names(
        catalog_, values, catalog_.pairs, page, [&](std::uint32_t pair) { return f(pair) && pair != span->last; },
        catalog_.name_of(catalog_.pairs[span->first]));
  }

  // For questions about most pairs: counts all at once.
  void count_all();

 private:
  // The series of the metric with the pair, `wanted` at most. nullopt: it costs too much.
  [[nodiscard]] std::optional<std::uint32_t> look_for(std::uint32_t pair, std::uint32_t wanted);
  [[nodiscard]] bool has_series(std::uint32_t tag_set) const;
  // Is that known without looking?
  [[nodiscard]] bool is_counted(std::uint32_t pair) const { return large_ != nullptr && catalog_.is_wide(pair); }

  const Catalog& catalog_;
  const std::uint32_t metric_;
  const LargeMetric* const large_;  // nullptr: it is not large
  std::size_t steps_left_;
  std::vector<std::uint32_t> counts_;  // by pair, once all are counted
};

}  // namespace varve::index
