// SPDX-License-Identifier: Apache-2.0
#include "index/metric_pairs.h"

#include <limits>

namespace varve::index {
namespace {

// To look at a series with all of its pairs, which are anywhere in memory, costs as much as so many tag sets of a list.
constexpr std::size_t kStepsASeries = 4;

}  // namespace

MetricPairs::MetricPairs(const Catalog& catalog, std::uint32_t metric)
    : catalog_(catalog),
      metric_(metric),
      large_(catalog.is_large(metric) ? &catalog.large(metric) : nullptr),
      steps_left_(catalog.postings.count(catalog.metrics[metric].series) * kStepsASeries + Catalog::kFewNames) {}

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

bool MetricPairs::has_series(std::uint32_t tag_set) const {
  const std::uint32_t series = catalog_.find_series(metric_, tag_set);
  return series != kNone && !catalog_.is_forgotten(series);
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
  if (is_counted(pair)) return large_->count(pair) > 0;
  if (counts_.empty()) {
    if (const auto found = look_for(pair, 1)) return *found > 0;
    count_all();
  }
  return counts_[pair] > 0;
}

std::uint32_t MetricPairs::count(std::uint32_t pair) {
  if (is_counted(pair)) return large_->count(pair);
  if (counts_.empty()) {
    if (const auto found = look_for(pair, std::numeric_limits<std::uint32_t>::max())) return *found;
    count_all();
  }
  return counts_[pair];
}

// Mostly with the first value.
bool MetricPairs::has_key(std::uint32_t key) {
  if (large_ != nullptr) {
    const auto* const span = large_->find_key(key);
    if (span == nullptr) return false;
    if (has(span->first)) return true;
  }
  return !catalog_.postings.walk(catalog_.keys[key].pairs.ids, [&](std::uint32_t pair) { return !has(pair); });
}

}  // namespace varve::index
