// SPDX-License-Identifier: Apache-2.0
#include "index/large_metrics.h"

#include <algorithm>

#include "index/catalog.h"

namespace varve::index {

const LargeMetric::KeySpan* LargeMetric::find_key(std::uint32_t key) const {
  const auto at = std::ranges::lower_bound(keys_, key, {}, &KeySpan::key);
  return at == keys_.end() || at->key != key ? nullptr : &*at;
}

void LargeMetric::widen_key(const Catalog& catalog, Recent& one) {
  const std::uint32_t key = catalog.pairs[one.pair].key;
  const auto at = std::ranges::lower_bound(keys_, key, {}, &KeySpan::key);
  if (at == keys_.end() || at->key != key) {
    keys_.insert(at, {key, one.pair, one.pair});
    return;
  }
  if (at->first == one.first && at->last == one.last) return;
  const auto name_of = [&](std::uint32_t id) { return catalog.name_of(catalog.pairs[id]); };
  const std::string_view name = name_of(one.pair);
  if (name < name_of(at->first)) at->first = one.pair;
  if (name_of(at->last) < name) at->last = one.pair;
  one.first = at->first;
  one.last = at->last;
}

// A pair that is counted was there before, so its key has a span that holds it.
void LargeMetric::add_uncounted(const Catalog& catalog, Recent& one) {
  widen_key(catalog, one);
  if (catalog.is_wide(one.pair)) ++counts_.add(one.pair);
}

void LargeMetric::add_new(const Catalog& catalog, Pairs pairs) {
  std::size_t done = 0;
  try {
    for (; done < pairs.size(); ++done) {
      if (std::uint32_t* const count = counts_.find(pairs[done].pair)) {
        ++*count;
      } else {
        add_uncounted(catalog, pairs[done]);
      }
    }
  } catch (...) {
    for (const Recent& one : pairs.first(done)) change(one.pair, -1);
    throw;
  }
}

// Pairs that are not counted are not wide: add_new() and reserve_wide() were there before.
void LargeMetrics::change(const Catalog& catalog, std::uint32_t metric, std::uint32_t tag_set, int by) {
  LargeMetric& large = metrics_.find(metric)->second;
  catalog.for_each_pair(tag_set, [&](std::uint32_t pair) {
    large.change(pair, by);
    return true;
  });
}

LargeMetric::Pairs LargeMetrics::pairs_of(const Catalog& catalog, std::uint32_t tag_set) {
  if (tag_set == last_tag_set_) return last_pairs_;
  last_tag_set_ = kNone;
  last_pairs_.clear();
  catalog.for_each_pair(tag_set, [&](std::uint32_t pair) {
    last_pairs_.push_back({pair});
    return true;
  });
  last_tag_set_ = tag_set;
  return last_pairs_;
}

void LargeMetrics::add_new(const Catalog& catalog, std::uint32_t metric, std::uint32_t tag_set) {
  const std::uint32_t series = catalog.postings.count(catalog.metrics[metric].series) + 1;
  if (series < catalog.counted_from().series) return;
  LargeMetric& large = metrics_[metric];
  if (series == catalog.counted_from().series) count_all(catalog, metric, large);
  large.add_new(catalog, pairs_of(catalog, tag_set));
}

// The metric becomes large. `large` may be left from a try that ran out of memory. Forgotten series are counted, and
// subtracted: they are needed when they are revived.
void LargeMetrics::count_all(const Catalog& catalog, std::uint32_t metric, LargeMetric& large) {
  large = {};
  catalog.postings.for_each(catalog.metrics[metric].series, [&](std::uint32_t series) {
    const auto pairs = pairs_of(catalog, catalog.series[series].tag_set);
    large.add_new(catalog, pairs);
    if (!catalog.is_forgotten(series)) return;
    for (const auto& one : pairs) large.change(one.pair, -1);
  });
}

// Counts that are left from a try that ran out of memory are wrong, and forgotten series need one when they are
// revived: so all are set to zero first.
void LargeMetrics::reserve_wide(const Catalog& catalog, std::uint32_t pair) {
  const auto for_each_large = [&](auto&& f) {
    catalog.postings.for_each(catalog.pairs[pair].tag_sets, [&](std::uint32_t tag_set) {
      catalog.walk_series(tag_set, [&](std::uint32_t series) {
        const std::uint32_t metric = catalog.series[series].metric;
        if (metric != kNone && catalog.is_large(metric)) f(series, metrics_.find(metric)->second.counts_.add(pair));
        return true;
      });
    });
  };
  for_each_large([](std::uint32_t, std::uint32_t& count) { count = 0; });
  for_each_large([&](std::uint32_t series, std::uint32_t& count) { count += catalog.is_forgotten(series) ? 0 : 1; });
}

std::size_t LargeMetrics::memory_bytes() const {
  std::size_t bytes = metrics_.bucket_count() * sizeof(void*);
  for (const auto& [metric, large] : metrics_) bytes += large.memory_bytes() + 2 * sizeof(void*);
  return bytes;
}

}  // namespace varve::index
