// SPDX-License-Identifier: Apache-2.0
// LargeMetrics: which tags the series of large metrics have, so that a page of them costs as the page. It is kept while
// series are defined, forgotten and revived: whoever asks first pays no more than the next, and needs no lock.
//
// Two things are known of a large metric. For each wide pair: how many of its series have it; what few tag sets have is
// found in their list. For each key: between which values those of the metric lie, so that the names of other metrics
// in front of them and behind them are not walked through. A large metric takes some kilobytes (12 bytes a wide pair
// that it has), other metrics and pairs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "index/pair_counts.h"

namespace varve::index {

class Catalog;

// What is known of one.
class LargeMetric {
 public:
  // The pairs with the least and with the greatest value, of all series that the metric ever had.
  struct KeySpan {
    std::uint32_t key;
    std::uint32_t first;
    std::uint32_t last;
  };

  // How many series of the metric that are not forgotten have the wide pair.
  [[nodiscard]] std::uint32_t count(std::uint32_t pair) const {
    const std::uint32_t* const known = counts_.find(pair);
    return known == nullptr ? 0 : *known;
  }
  // nullptr: no series of the metric ever had the key.
  [[nodiscard]] const KeySpan* find_key(std::uint32_t key) const;
  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(*this) + counts_.memory_bytes() + keys_.capacity() * sizeof(keys_[0]);
  }

 private:
  friend class LargeMetrics;
  // A pair, and between which others it is known to lie. The metrics of a host mostly have the same hosts: of all but
  // the first, names need not be compared.
  struct Recent {
    std::uint32_t pair;
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  using Pairs = std::span<Recent>;

  // Counts a series with the pairs, which is new. If memory runs out, nothing is counted.
  void add_new(const Catalog& catalog, Pairs pairs);
  void add_uncounted(const Catalog& catalog, Recent& one);
  void widen_key(const Catalog& catalog, Recent& one);
  void change(std::uint32_t pair, int by) {
    if (std::uint32_t* const count = counts_.find(pair)) *count += static_cast<std::uint32_t>(by);
  }

  PairCounts counts_;
  std::vector<KeySpan> keys_;  // ascending by key
};

// The catalog calls these. Where memory may run out, it calls them before it changes anything, and may try again.
class LargeMetrics {
 public:
  // The metric gets one more series. What else it needs is there already: it is counted now.
  void add_new(const Catalog& catalog, std::uint32_t metric, std::uint32_t tag_set);
  // One more tag set makes the pair wide.
  void reserve_wide(const Catalog& catalog, std::uint32_t pair);

  // A series of a large metric is revived (1) or forgotten (-1). Does not throw.
  void change(const Catalog& catalog, std::uint32_t metric, std::uint32_t tag_set, int by);

  // Of a large metric.
  [[nodiscard]] const LargeMetric& of(std::uint32_t metric) const { return metrics_.find(metric)->second; }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  void count_all(const Catalog& catalog, std::uint32_t metric, LargeMetric& large);
  LargeMetric::Pairs pairs_of(const Catalog& catalog, std::uint32_t tag_set);

  std::unordered_map<std::uint32_t, LargeMetric> metrics_;
  // Series of one tag set come one after the other: its pairs are decoded once.
  std::uint32_t last_tag_set_ = kNone;
  std::vector<LargeMetric::Recent> last_pairs_;
};

}  // namespace varve::index
