// SPDX-License-Identifier: Apache-2.0
#include "index/metric_pairs.h"

#include <limits>

namespace varve::index {

MetricPairs::MetricPairs(const Catalog& catalog, std::uint32_t metric)
    : catalog_(catalog),
      metric_(metric),
      steps_left_(catalog.postings.count(catalog.metrics[metric].series) + Catalog::kFewNames) {}

void MetricPairs::count_all() {
  if (!counts_.empty()) return;
  counts_.resize(catalog_.pairs.size());
  catalog_.postings.for_each(catalog_.metrics[metric_].series, [&](std::uint32_t series) {
    if (catalog_.is_forgotten(series)) return;
    catalog_.for_each_pair(catalog_.series[series].tag_set, [&](std::uint32_t pair) {
      ++counts_[pair];
      return true;
    });
  });
}

// The series of the metric among those of the tag set: one at most.
bool MetricPairs::has_series(std::uint32_t tag_set) {
  for (std::uint32_t run = catalog_.tag_sets[tag_set].last_run; run != kNone; run = catalog_.runs[run].before) {
    const auto& [first, count, before] = catalog_.runs[run];
    for (std::uint32_t series = first; series < first + count; ++series) {
      if (steps_left_ > 0) --steps_left_;
      if (catalog_.series[series].metric == metric_) return !catalog_.is_forgotten(series);
    }
  }
  return false;
}

std::optional<std::uint32_t> MetricPairs::look_for(std::uint32_t pair, std::uint32_t wanted) {
  std::uint32_t found = 0;
  const bool to_the_end = catalog_.postings.walk(catalog_.pairs[pair].tag_sets, [&](std::uint32_t tag_set) {
    if (steps_left_ == 0) return false;
    --steps_left_;
    if (catalog_.tag_sets[tag_set].live > 0 && has_series(tag_set)) ++found;
    return found < wanted;
  });
  if (!to_the_end && found < wanted) return std::nullopt;
  return found;
}

bool MetricPairs::has(std::uint32_t pair) {
  if (counts_.empty()) {
    if (const auto found = look_for(pair, 1)) return *found > 0;
    count_all();
  }
  return counts_[pair] > 0;
}

std::uint32_t MetricPairs::count(std::uint32_t pair) {
  if (counts_.empty()) {
    if (const auto found = look_for(pair, std::numeric_limits<std::uint32_t>::max())) return *found;
    count_all();
  }
  return counts_[pair];
}

}  // namespace varve::index
