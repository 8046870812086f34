// SPDX-License-Identifier: Apache-2.0
// Forgetting: series of which no data are left vanish from every answer. Their numbers, names and groups stay, so that
// whoever knows a group may write to it again: the series are revived then.
#include <algorithm>

#include "base/check.h"
#include "index/ranges.h"
#include "index/tables.h"

namespace varve::index {
namespace {

constexpr std::size_t kKnownPerLiving = 10;

}  // namespace

void Catalog::count_live(std::uint32_t id) {
  ++live_series_;
  Metric& metric = metrics[series[id].metric];
  ++tenants[metric.tenant].live;
  ++metric.live;
  if (tag_sets[series[id].tag_set].live++ > 0) return;
  for_each_pair(series[id].tag_set, [this](std::uint32_t pair) {
    if (pairs[pair].live++ == 0) ++keys[pairs[pair].key].live;
    return true;
  });
}

void Catalog::revive(std::uint32_t id) {
  check(is_forgotten(id), "a series is revived that was forgotten");
  forgotten_[id] = false;
  count_live(id);
  if (is_large(series[id].metric)) large_.change(*this, series[id].metric, series[id].tag_set, 1);
}

void Catalog::forget(std::uint32_t id) {
  check(id < series.size() && !is_forgotten(id) && live_series_ > 0, "a series is forgotten once");
  if (forgotten_.size() <= id) forgotten_.resize(series.size());
  forgotten_[id] = true;
  --live_series_;
  Metric& metric = metrics[series[id].metric];
  --tenants[metric.tenant].live;
  --metric.live;
  if (is_large(series[id].metric)) large_.change(*this, series[id].metric, series[id].tag_set, -1);
  if (--tag_sets[series[id].tag_set].live > 0) return;
  for_each_pair(series[id].tag_set, [this](std::uint32_t pair) {
    if (--pairs[pair].live == 0) --keys[pairs[pair].key].live;
    return true;
  });
}

void revive_series(Catalog& catalog, std::span<const model::SeriesId> series, std::string& definitions) {
  Ranges ranges(definitions, DefinitionKind::revive);
  for (const model::SeriesId one : series) {
    const std::uint32_t id = model::to_int(one);
    if (!catalog.is_forgotten(id)) continue;
    catalog.revive(id);
    ranges.add(id);
  }
}

Status check_room(const Catalog& catalog, std::uint32_t tenant, std::size_t fresh, std::size_t series_max) {
  const auto& [name, live, quiet, metrics, keys] = catalog.tenants[tenant];
  const std::size_t living = live - std::min(live, quiet);
  const bool is_full = live + fresh > series_max * kKnownPerLiving;
  if (fresh == 0 || (living + fresh <= series_max && !is_full)) return {};
  const std::string of = "tenant '" + std::string(catalog.text(name)) + "' has ";
  if (!is_full) {
    return fail(Code::limit, of + std::to_string(living) + " series; at most " + std::to_string(series_max) +
                                 " (limits.series_per_tenant)");
  }
  return fail(Code::limit, of + std::to_string(live) + " series, most of them without new samples; at most " +
                               std::to_string(series_max * kKnownPerLiving) + " (" + std::to_string(kKnownPerLiving) +
                               " times limits.series_per_tenant)");
}

void SeriesIndex::set_quiet(model::TenantId tenant, std::size_t series) {
  tables_->catalog.tenants[model::to_int(tenant)].quiet = static_cast<std::uint32_t>(series);
}

Status SeriesIndex::may_revive(model::GroupId group, std::size_t series_max) const {
  std::vector<std::uint32_t> fresh;
  for (const model::SeriesId one : group_series(group)) {
    if (is_forgotten(one)) fresh.push_back(model::to_int(one));
  }
  std::ranges::sort(fresh);
  const std::size_t twice = std::ranges::unique(fresh).size();
  return check_room(tables_->catalog, model::to_int(group_tenant(group)), fresh.size() - twice, series_max);
}

void SeriesIndex::forget(std::span<const model::SeriesId> series, std::string& definitions) {
  Catalog& catalog = tables_->catalog;
  Ranges ranges(definitions, DefinitionKind::forget);
  for (const model::SeriesId one : series) {
    const std::uint32_t id = model::to_int(one);
    if (catalog.is_forgotten(id)) continue;
    catalog.forget(id);
    ranges.add(id);
  }
}

void SeriesIndex::revive(model::GroupId group, std::string& definitions) {
  revive_series(tables_->catalog, group_series(group), definitions);
}

std::size_t SeriesIndex::forgotten_count() const {
  const Catalog& catalog = tables_->catalog;
  return catalog.series.size() - catalog.live_series() - catalog.gaps();
}

std::size_t SeriesIndex::gone_count() const { return forgotten_count() + tables_->catalog.left_in_place(); }

bool SeriesIndex::is_forgotten(model::SeriesId series) const {
  return tables_->catalog.is_forgotten(model::to_int(series));
}

}  // namespace varve::index
