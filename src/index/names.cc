// SPDX-License-Identifier: Apache-2.0
// Names for people: metrics, tag keys and tag values, in order, a page of them or all.
#include "index/metric_pairs.h"
#include "index/name_walk.h"
#include "index/tables.h"

namespace varve::index {
namespace {

using Names = std::vector<std::string>;

// The names of the page for which wanted(id) is true. `walk`: calls f(id) for each name, as walk_names().
template <class T, class Walk, class Wanted>
Names page_of_walk(const Catalog& catalog, const Column<T>& of, std::size_t limit, Walk&& walk, Wanted&& wanted) {
  Names names;
  walk([&](std::uint32_t id) {
    if (wanted(id)) names.emplace_back(catalog.name_of(of[id]));
    return names.empty() || names.size() != limit;
  });
  return names;
}

template <class T, class Wanted>
Names page_of(const Catalog& catalog, const Catalog::NameList& list, const Column<T>& of, const NamePage& page,
              Wanted&& wanted) {
  const auto walk = [&](auto&& f) { walk_names(catalog, list, of, page, f); };
  return page_of_walk(catalog, of, page.limit, walk, wanted);
}

}  // namespace

Names SeriesIndex::metric_names(model::TenantId tenant, const NamePage& page) const {
  const Catalog& catalog = tables_->catalog;
  return page_of(catalog, catalog.tenants[model::to_int(tenant)].metrics, catalog.metrics, page,
                 [&](std::uint32_t metric) { return catalog.metrics[metric].live > 0; });
}

Names SeriesIndex::tag_keys(model::TenantId tenant, std::string_view metric, const NamePage& page) const {
  const Catalog& catalog = tables_->catalog;
  const auto& keys = catalog.tenants[model::to_int(tenant)].keys;
  const auto is_live = [&](std::uint32_t key) { return catalog.keys[key].live > 0; };
  if (metric.empty()) return page_of(catalog, keys, catalog.keys, page, is_live);
  const std::uint32_t id = catalog.find_metric(model::to_int(tenant), metric);
  if (id == kNone) return {};
  MetricPairs pairs(catalog, id);
  return page_of(catalog, keys, catalog.keys, page,
                 [&](std::uint32_t key) { return is_live(key) && pairs.has_key(key); });
}

Names SeriesIndex::tag_values(model::TenantId tenant, std::string_view metric, std::string_view key_name,
                              const NamePage& page) const {
  const Catalog& catalog = tables_->catalog;
  const std::uint32_t key = catalog.find_key(model::to_int(tenant), key_name);
  if (key == kNone) return {};
  const auto is_live = [&](std::uint32_t pair) { return catalog.pairs[pair].live > 0; };
  if (metric.empty()) return page_of(catalog, catalog.keys[key].pairs, catalog.pairs, page, is_live);
  const std::uint32_t id = catalog.find_metric(model::to_int(tenant), metric);
  if (id == kNone) return {};
  MetricPairs pairs(catalog, id);
  if (page.limit == 0) pairs.count_all();
  const auto walk = [&](auto&& f) { pairs.walk_values(key, page, f); };
  return page_of_walk(catalog, catalog.pairs, page.limit, walk,
                      [&](std::uint32_t pair) { return is_live(pair) && pairs.has(pair); });
}

}  // namespace varve::index
