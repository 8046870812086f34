// SPDX-License-Identifier: Apache-2.0
#include "index/series_index.h"

#include <algorithm>
#include <ranges>

#include "base/check.h"
#include "index/tables.h"

namespace varve::index {

SeriesIndex::SeriesIndex() : SeriesIndex(CountedFrom{}) {}
SeriesIndex::SeriesIndex(const CountedFrom& counted_from) : tables_(std::make_shared<Tables>(counted_from)) {}
SeriesIndex::~SeriesIndex() = default;
SeriesIndex::SeriesIndex(SeriesIndex&&) noexcept = default;
SeriesIndex& SeriesIndex::operator=(SeriesIndex&&) noexcept = default;

std::optional<model::TenantId> SeriesIndex::find_tenant(std::string_view name) const {
  const std::uint32_t id = tables_->catalog.find_tenant(name);
  if (id == kNone) return std::nullopt;
  return model::TenantId{id};
}

std::vector<std::string> SeriesIndex::tenants() const {
  std::vector<std::string> names;
  for (std::uint32_t id = 0; id < tenant_count(); ++id) names.emplace_back(tenant_name(model::TenantId{id}));
  std::ranges::sort(names);
  return names;
}

std::size_t SeriesIndex::tenant_count() const { return tables_->catalog.tenants.size(); }

std::string_view SeriesIndex::tenant_name(model::TenantId tenant) const {
  if (tenant == model::kNoTenant) return {};
  check(model::to_int(tenant) < tenant_count(), "a tenant that there is");
  return tables_->catalog.text(tables_->catalog.tenants[model::to_int(tenant)].name);
}

std::size_t SeriesIndex::group_count() const { return tables_->catalog.groups.size(); }

std::span<const model::SeriesId> SeriesIndex::group_series(model::GroupId group) const {
  check(model::to_int(group) < group_count(), "a group that there is");
  return tables_->catalog.series_of(tables_->catalog.groups[model::to_int(group)]);
}

model::TenantId SeriesIndex::group_tenant(model::GroupId group) const {
  const auto series = group_series(group);
  return series.empty() ? model::kNoTenant : series_tenant(series.front());
}

std::uint32_t SeriesIndex::group_ttl_s(model::GroupId group) const {
  return tables_->catalog.ttl_of(model::to_int(group));
}

GroupNames SeriesIndex::group_names(model::GroupId group) const {
  const auto series = group_series(group);
  if (series.empty()) return {model::kNoTenant, {}, {}};
  GroupNames names{series_tenant(series.front()), tags(series.front()), {}};
  for (const model::SeriesId one : series) names.metrics.emplace_back(metric(one));
  return names;
}

bool SeriesIndex::has_mortal_groups() const { return !tables_->catalog.mortal_groups.empty(); }

std::size_t SeriesIndex::mortal_group_count() const { return tables_->catalog.mortal_groups.size(); }

model::GroupId SeriesIndex::mortal_group(std::size_t n) const {
  return model::GroupId{tables_->catalog.mortal_groups[n].group};
}

void SeriesIndex::groups(model::SeriesId series, std::vector<model::GroupId>& out) const {
  out.clear();
  const Catalog& catalog = tables_->catalog;
  catalog.postings.for_each(catalog.series[model::to_int(series)].groups,
                            [&](std::uint32_t group) { out.push_back(model::GroupId{group}); });
}

void SeriesIndex::places(model::SeriesId series, std::vector<Place>& out) const {
  check(model::to_int(series) < series_end(), "a series that there is");
  out.clear();
  const Catalog& catalog = tables_->catalog;
  const auto groups = catalog.postings.ids(catalog.series[model::to_int(series)].groups);
  for (const std::uint32_t group : groups | std::views::reverse) {
    const auto columns = catalog.series_of(catalog.groups[group]);
    const std::uint32_t ttl_s = catalog.ttl_of(group);
    for (auto at = std::ranges::find(columns, series); at != columns.end();
         at = std::find(at + 1, columns.end(), series)) {
      out.push_back({model::GroupId{group}, static_cast<std::uint16_t>(at - columns.begin()), ttl_s});
    }
  }
}

std::size_t SeriesIndex::series_count() const { return tables_->catalog.live_series(); }
std::size_t SeriesIndex::series_end() const { return tables_->catalog.series.size(); }

std::size_t SeriesIndex::series_count(model::TenantId tenant) const {
  return tables_->catalog.tenants[model::to_int(tenant)].live;
}

model::TenantId SeriesIndex::series_tenant(model::SeriesId series) const {
  return model::TenantId{tables_->catalog.tenant_of(model::to_int(series))};
}

std::string_view SeriesIndex::metric(model::SeriesId series) const {
  check(model::to_int(series) < series_end(), "a series that there is");
  const Catalog& catalog = tables_->catalog;
  if (catalog.is_gap(model::to_int(series))) return {};
  return catalog.text(catalog.metrics[catalog.series[model::to_int(series)].metric].name);
}

std::size_t SeriesIndex::metric_end() const { return tables_->catalog.metrics.size(); }

std::optional<std::uint32_t> SeriesIndex::find_metric(model::TenantId tenant, std::string_view name) const {
  const std::uint32_t id = tables_->catalog.find_metric(model::to_int(tenant), name);
  if (id == kNone) return std::nullopt;
  return id;
}

std::uint32_t SeriesIndex::metric_number(model::SeriesId series) const {
  return tables_->catalog.series[model::to_int(series)].metric;
}

std::size_t SeriesIndex::metric_series_count(std::uint32_t metric) const {
  return tables_->catalog.metrics[metric].live;
}

std::optional<std::uint32_t> SeriesIndex::find_tag(model::TenantId tenant, std::string_view key,
                                                   std::string_view value) const {
  const Catalog& catalog = tables_->catalog;
  const std::uint32_t key_id = catalog.find_key(model::to_int(tenant), key);
  const std::uint32_t pair = key_id == kNone ? kNone : catalog.find_pair(key_id, value);
  if (pair == kNone) return std::nullopt;
  return pair;
}

void SeriesIndex::tag_numbers(model::SeriesId series, std::vector<std::uint32_t>& out) const {
  out.clear();
  const Catalog& catalog = tables_->catalog;
  if (catalog.is_gap(model::to_int(series))) return;
  catalog.for_each_pair(catalog.series[model::to_int(series)].tag_set, [&](std::uint32_t pair) {
    out.push_back(pair);
    return true;
  });
}

TagSetSpan SeriesIndex::span_of_tag(std::uint32_t tag) const {
  const Catalog& catalog = tables_->catalog;
  const ListRef tag_sets = catalog.pairs[tag].tag_sets;
  if (tag_sets == kEmptyList) return {};
  return {catalog.postings.first(tag_sets), catalog.postings.last(tag_sets)};
}

TagSetSpan SeriesIndex::span_of_series(std::uint32_t page) const { return tables_->catalog.series_spans().of(page); }

TagSetSpan SeriesIndex::span_of_groups(std::uint32_t page) const { return tables_->catalog.group_spans().of(page); }

void SeriesIndex::tags(model::SeriesId series, model::TagViews& out) const {
  check(model::to_int(series) < series_end(), "a series that there is");
  out.clear();
  if (tables_->catalog.is_gap(model::to_int(series))) return;
  tables_->catalog.tags(tables_->catalog.series[model::to_int(series)].tag_set, out);
}

model::Tags SeriesIndex::tags(model::SeriesId series) const {
  model::TagViews views;
  tags(series, views);
  return model::to_tags(views);
}

void SeriesIndex::exchange(SeriesIndex& other) {
  check(other.tenant_count() == tenant_count() && other.series_end() == series_end() &&
            other.group_count() == group_count(),
        "ids stay as they are");
  for (std::uint32_t id = 0; id < tenant_count(); ++id) {
    other.tables_->catalog.tenants[id].quiet = tables_->catalog.tenants[id].quiet;
  }
  tables_.swap(other.tables_);
}

std::size_t SeriesIndex::memory_bytes() const { return tables_->catalog.memory_bytes(); }

}  // namespace varve::index
