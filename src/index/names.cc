// SPDX-License-Identifier: Apache-2.0
// Names for people: metrics, tag keys and tag values, sorted. Nothing is kept sorted: sorting the answer is cheap
// next to sending it, and definitions stay fast.
#include <algorithm>
#include <tuple>

#include "index/tables.h"

namespace varve::index {
namespace {

std::vector<std::string> sorted(std::vector<std::string_view>& names, std::size_t limit = 0) {
  if (limit != 0 && limit < names.size()) {
    std::ranges::nth_element(names, names.begin() + static_cast<std::ptrdiff_t>(limit));
    names.resize(limit);
  }
  std::ranges::sort(names);
  return {names.begin(), names.end()};
}

// Calls f(series) for each series of the metric that is not forgotten.
template <class F>
void for_each_series(const Catalog& catalog, std::uint32_t metric, F&& f) {
  catalog.postings.for_each(catalog.metrics[metric].series, [&](std::uint32_t series) {
    if (!catalog.is_forgotten(series)) f(series);
  });
}

// Calls f(pair) once for each pair that a series of the metric has.
template <class F>
void for_each_distinct_pair(const Catalog& catalog, std::uint32_t metric, F&& f) {
  std::vector<bool> seen(catalog.pairs.size());
  for_each_series(catalog, metric, [&](std::uint32_t series) {
    catalog.for_each_pair(catalog.series[series].tag_set, [&](std::uint32_t pair) {
      if (!seen[pair]) f(pair);
      seen[pair] = true;
      return true;
    });
  });
}

}  // namespace

std::vector<std::string> SeriesIndex::metric_names(model::TenantId tenant, std::string_view prefix,
                                                   std::size_t limit) const {
  const Catalog& catalog = tables_->catalog;
  std::vector<std::string_view> names;
  catalog.postings.for_each(catalog.tenants[model::to_int(tenant)].metrics, [&](std::uint32_t metric) {
    if (catalog.metrics[metric].live == 0) return;
    const std::string_view name = catalog.text(catalog.metrics[metric].name);
    if (name.starts_with(prefix)) names.push_back(name);
  });
  return sorted(names, limit);
}

std::vector<std::string> SeriesIndex::tag_keys(model::TenantId tenant, std::string_view metric) const {
  const Catalog& catalog = tables_->catalog;
  std::vector<std::string_view> names;
  if (metric.empty()) {
    catalog.postings.for_each(catalog.tenants[model::to_int(tenant)].keys, [&](std::uint32_t key) {
      if (catalog.keys[key].live > 0) names.push_back(catalog.text(catalog.keys[key].name));
    });
    return sorted(names);
  }
  const std::uint32_t id = catalog.find_metric(model::to_int(tenant), metric);
  if (id == kNone) return {};
  std::vector<bool> seen(catalog.keys.size());
  for_each_distinct_pair(catalog, id, [&](std::uint32_t pair) {
    const std::uint32_t key = catalog.pairs[pair].key;
    if (!seen[key]) names.push_back(catalog.text(catalog.keys[key].name));
    seen[key] = true;
  });
  return sorted(names);
}

std::vector<std::string> SeriesIndex::tag_values(model::TenantId tenant, std::string_view metric,
                                                 std::string_view key_name) const {
  const Catalog& catalog = tables_->catalog;
  const std::uint32_t key = catalog.find_key(model::to_int(tenant), key_name);
  if (key == kNone) return {};
  std::vector<std::string_view> values;
  const auto add = [&](std::uint32_t pair) { values.push_back(catalog.text(catalog.pairs[pair].value)); };
  if (metric.empty()) {
    catalog.postings.for_each(catalog.keys[key].pairs, [&](std::uint32_t pair) {
      if (catalog.pairs[pair].live > 0) add(pair);
    });
    return sorted(values);
  }
  const std::uint32_t id = catalog.find_metric(model::to_int(tenant), metric);
  if (id == kNone) return {};
  for_each_distinct_pair(catalog, id, [&](std::uint32_t pair) {
    if (catalog.pairs[pair].key == key) add(pair);
  });
  return sorted(values);
}

std::vector<TagCount> SeriesIndex::tag_counts(model::TenantId tenant, std::string_view metric) const {
  const Catalog& catalog = tables_->catalog;
  std::vector<TagCount> counts;
  const auto add = [&](std::uint32_t pair, std::uint64_t series) {
    const Catalog::Pair& of = catalog.pairs[pair];
    counts.push_back(
        {std::string(catalog.text(catalog.keys[of.key].name)), std::string(catalog.text(of.value)), series});
  };
  if (metric.empty()) {
    catalog.postings.for_each(catalog.tenants[model::to_int(tenant)].keys, [&](std::uint32_t key) {
      catalog.postings.for_each(catalog.keys[key].pairs, [&](std::uint32_t pair) {
        std::uint64_t series = 0;
        catalog.postings.for_each(catalog.pairs[pair].tag_sets,
                                  [&](std::uint32_t tag_set) { series += catalog.tag_sets[tag_set].live; });
        if (series > 0) add(pair, series);
      });
    });
  } else if (const std::uint32_t id = catalog.find_metric(model::to_int(tenant), metric); id != kNone) {
    std::vector<std::uint32_t> of_pair(catalog.pairs.size());
    for_each_series(catalog, id, [&](std::uint32_t series) {
      catalog.for_each_pair(catalog.series[series].tag_set, [&](std::uint32_t pair) {
        ++of_pair[pair];
        return true;
      });
    });
    for (std::uint32_t pair = 0; pair < of_pair.size(); ++pair) {
      if (of_pair[pair] > 0) add(pair, of_pair[pair]);
    }
  }
  std::ranges::sort(counts, {}, [](const TagCount& c) { return std::tie(c.key, c.value); });
  return counts;
}

}  // namespace varve::index
