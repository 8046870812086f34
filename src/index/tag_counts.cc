// SPDX-License-Identifier: Apache-2.0
// How many series have each tag, by key and value, a page of them or all.
#include <utility>

#include "base/check.h"
#include "index/metric_pairs.h"
#include "index/name_walk.h"
#include "index/tables.h"

namespace varve::index {
namespace {

std::uint64_t live_series(const Catalog& catalog, std::uint32_t pair) {
  std::uint64_t series = 0;
  if (catalog.pairs[pair].live == 0) return 0;
  catalog.postings.for_each(catalog.pairs[pair].tag_sets,
                            [&](std::uint32_t tag_set) { series += catalog.tag_sets[tag_set].live; });
  return series;
}

// `walk`: calls f(pair) for the values of a key, as walk_names(). `count`: of the series with a pair.
template <class Walk, class Count>
std::vector<TagCount> page_of(const Catalog& catalog, std::uint32_t tenant, const TagPage& page, Walk&& walk,
                              Count&& count) {
  std::vector<TagCount> counts;
  const auto is_full = [&] { return !counts.empty() && counts.size() == page.limit; };
  walk_names(catalog, catalog.tenants[tenant].keys, catalog.keys, {}, [&](std::uint32_t key) {
    const std::string_view name = catalog.name_of(catalog.keys[key]);
    if (name < page.after_key || catalog.keys[key].live == 0) return true;
    const NamePage values{.after = name == page.after_key ? page.after_value : std::string_view()};
    walk(key, values, [&](std::uint32_t pair) {
      const std::uint64_t series = count(pair);
      if (series > 0) counts.push_back({std::string(name), std::string(catalog.name_of(catalog.pairs[pair])), series});
      return !is_full();
    });
    return !is_full();
  });
  return counts;
}

}  // namespace

std::vector<TagCount> SeriesIndex::tag_counts(model::TenantId tenant, std::string_view metric,
                                              const TagPage& page) const {
  const Catalog& catalog = tables_->catalog;
  const std::uint32_t owner = model::to_int(tenant);
  if (metric.empty()) {
    const auto walk = [&](std::uint32_t key, const NamePage& values, auto&& f) {
      walk_names(catalog, catalog.keys[key].pairs, catalog.pairs, values, f);
    };
    return page_of(catalog, owner, page, walk, [&](std::uint32_t pair) { return live_series(catalog, pair); });
  }
  const std::uint32_t id = catalog.find_metric(owner, metric);
  if (id == kNone) return {};
  MetricPairs pairs(catalog, id);
  if (page.limit == 0) pairs.count_all();
  const auto walk = [&](std::uint32_t key, const NamePage& values, auto&& f) { pairs.walk_values(key, values, f); };
  return page_of(catalog, owner, page, walk, [&](std::uint32_t pair) { return pairs.count(pair); });
}

std::vector<TaggedSeries> SeriesIndex::tagged_series(model::TenantId tenant, std::string_view metric,
                                                     const TagPage& page) const {
  check(!metric.empty(), "series are of a metric");
  std::vector<TaggedSeries> out;
  for (TagCount& one : tag_counts(tenant, metric, page)) {
    auto series = select(tenant, metric, {{one.key, Matcher::Kind::any_of, {one.value}}});
    check(series.has_value(), "a list of one value is a good matcher");
    out.push_back({std::move(one.key), std::move(one.value), *std::move(series)});
  }
  return out;
}

}  // namespace varve::index
