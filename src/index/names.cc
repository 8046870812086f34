// SPDX-License-Identifier: Apache-2.0
// Names for people: metrics, tag keys and tag values, sorted. Nothing is kept sorted: sorting the answer is cheap
// next to sending it, and definitions stay fast.
#include <algorithm>

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

// Calls f(pair) once for each pair that a series of the metric has.
template <class F>
void for_each_distinct_pair(const Catalog& catalog, std::uint32_t metric, F&& f) {
  std::vector<bool> seen(catalog.pairs.size());
  catalog.postings.for_each(catalog.metrics[metric].series, [&](std::uint32_t series) {
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
    const std::string_view name = catalog.text(catalog.metrics[metric].name);
    if (name.starts_with(prefix)) names.push_back(name);
  });
  return sorted(names, limit);
}

std::vector<std::string> SeriesIndex::tag_keys(model::TenantId tenant, std::string_view metric) const {
  const Catalog& catalog = tables_->catalog;
  std::vector<std::string_view> names;
  if (metric.empty()) {
    catalog.postings.for_each(catalog.tenants[model::to_int(tenant)].keys,
                              [&](std::uint32_t key) { names.push_back(catalog.text(catalog.keys[key].name)); });
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
    catalog.postings.for_each(catalog.keys[key].pairs, add);
    return sorted(values);
  }
  const std::uint32_t id = catalog.find_metric(model::to_int(tenant), metric);
  if (id == kNone) return {};
  for_each_distinct_pair(catalog, id, [&](std::uint32_t pair) {
    if (catalog.pairs[pair].key == key) add(pair);
  });
  return sorted(values);
}

}  // namespace varve::index
