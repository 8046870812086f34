// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/series/series_tables.h"

#include <algorithm>
#include <map>
#include <utility>

namespace varve::engine::cassandra {

using model::SeriesId;
using model::TenantId;

// --- questions

Result<TenantId> SeriesTables::tenant(std::string_view name) { return directory_.tenant(name); }

Result<std::optional<TenantId>> SeriesTables::find_tenant(std::string_view name) const {
  return loader_.find_tenant(name);
}

Result<std::vector<std::string>> SeriesTables::tenants() const { return loader_.tenants(); }

Result<model::GroupId> SeriesTables::define_group(TenantId tenant, const model::TagViews& tags,
                                                  std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  return directory_.define(tenant, tags, metrics, ttl_s, now_us());
}

index::GroupNames SeriesTables::group_names(model::GroupId group) const {
  return directory_.read([&](const index::SeriesIndex& index) { return index.group_names(group); });
}

Result<std::vector<model::Timestamp>> SeriesTables::load(TenantId tenant, std::string_view metric,
                                                         model::TimeRange range,
                                                         const RowStore::ReadLimits& limits) const {
  return loader_.series(tenant, std::string(metric), range, limits);
}

Result<std::vector<SeriesId>> SeriesTables::select(TenantId tenant, std::string_view metric,
                                                   const index::Matchers& matchers, model::TimeRange seen,
                                                   const storage::GoOn& go_on) const {
  VARVE_RETURN_IF_ERROR(index::check_matchers(matchers));
  VARVE_RETURN_IF_ERROR(load(tenant, metric, seen, {}));
  return directory_.select(tenant, metric, matchers, go_on);
}

std::vector<model::Tags> SeriesTables::tags(TenantId tenant, std::span<const SeriesId> series) const {
  constexpr std::size_t kPiece = 256;  // definitions wait while they are read
  std::vector<model::Tags> out;
  out.reserve(series.size());
  while (out.size() < series.size()) {
    directory_.read([&](const index::SeriesIndex& index) {
      for (const SeriesId one : series.subspan(out.size()).first(std::min(kPiece, series.size() - out.size()))) {
        out.push_back(index.series_tenant(one) == tenant ? index.tags(one) : model::Tags{});
      }
    });
  }
  return out;
}

// Names that were announced, and those of series that this process has defined and will announce. What is known here
// and is not among the former may have been forgotten by others.
Result<std::vector<std::string>> SeriesTables::metric_names(TenantId tenant, const index::NamePage& page) const {
  const auto known = [&] {
    return directory_.read([&](const index::SeriesIndex& index) {
      return index.metric_names(tenant, {.prefix = page.prefix, .after = page.after});
    });
  };
  VARVE_ASSIGN_OR_RETURN(auto names, loader_.metric_names(tenant));
  std::erase_if(names,
                [&](const std::string& name) { return page.starts_behind(name) || !name.starts_with(page.prefix); });
  std::vector<std::string> own;
  std::ranges::set_difference(known(), names, std::back_inserter(own));
  if (!own.empty()) {
    VARVE_RETURN_IF_ERROR(loader_.forgotten(tenant, own));
    std::vector<std::string> all;
    std::ranges::set_union(known(), names, std::back_inserter(all));
    names = std::move(all);
  }
  if (page.limit != 0 && names.size() > page.limit) names.resize(page.limit);
  return names;
}

// Of all metrics if it is empty.
Status SeriesTables::load_metrics(TenantId tenant, std::string_view metric) const {
  if (!metric.empty()) {
    VARVE_RETURN_IF_ERROR(load(tenant, metric, {}, {}));
    return {};
  }
  VARVE_ASSIGN_OR_RETURN(const auto names, metric_names(tenant, {}));
  for (const std::string& name : names) VARVE_RETURN_IF_ERROR(load(tenant, name, {}, {}));
  return {};
}

Result<std::vector<std::string>> SeriesTables::tag_keys(TenantId tenant, std::string_view metric,
                                                        const index::NamePage& page) const {
  VARVE_RETURN_IF_ERROR(load_metrics(tenant, metric));
  return directory_.read([&](const index::SeriesIndex& index) { return index.tag_keys(tenant, metric, page); });
}

Result<std::vector<std::string>> SeriesTables::tag_values(TenantId tenant, std::string_view metric,
                                                          std::string_view key, const index::NamePage& page) const {
  VARVE_RETURN_IF_ERROR(load_metrics(tenant, metric));
  return directory_.read([&](const index::SeriesIndex& index) { return index.tag_values(tenant, metric, key, page); });
}

Result<std::vector<index::TagCount>> SeriesTables::tag_counts(TenantId tenant, std::string_view metric,
                                                              const index::TagPage& page) const {
  VARVE_RETURN_IF_ERROR(load_metrics(tenant, metric));
  return directory_.read([&](const index::SeriesIndex& index) { return index.tag_counts(tenant, metric, page); });
}

Result<std::vector<index::TaggedSeries>> SeriesTables::tagged_series(TenantId tenant, std::string_view metric,
                                                                     const index::TagPage& page) const {
  VARVE_RETURN_IF_ERROR(load_metrics(tenant, metric));
  return directory_.read([&](const index::SeriesIndex& index) { return index.tagged_series(tenant, metric, page); });
}

std::size_t SeriesTables::series_count() const {
  return directory_.read([](const index::SeriesIndex& index) { return index.series_count(); });
}

std::size_t SeriesTables::series_count(TenantId tenant) const {
  return directory_.read([&](const index::SeriesIndex& index) { return index.series_count(tenant); });
}

// --- names for the tracker

std::string GroupNames::tenant(TenantId tenant) const { return series_.directory().tenant_name(tenant); }

std::string GroupNames::name(const tracker::Member& member) const {
  if (member.id == kMessagesMember) return tracker::redis::member_name(tenant(member.tenant), {});
  const GroupName name = series_.directory().name(model::GroupId{member.id});
  return tracker::redis::member_name(series_.directory().tenant_name(name.tenant), name.hash);
}

Result<std::vector<std::optional<tracker::Member>>> GroupNames::find(std::span<const std::string_view> names) {
  std::vector<std::optional<tracker::Member>> out(names.size());
  std::map<std::string_view, std::optional<TenantId>> tenants;
  std::vector<Loader::Named> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto parts = tracker::redis::split_name(names[i]);
    if (!parts) continue;
    if (parts->hash == model::SeriesSetHash{}) {
      VARVE_ASSIGN_OR_RETURN(const TenantId tenant, series_.tenant(parts->tenant));
      out[i] = tracker::Member{tenant, kMessagesMember};
      continue;
    }
    const auto [tenant, is_new] = tenants.try_emplace(parts->tenant);
    if (is_new) {
      VARVE_ASSIGN_OR_RETURN(tenant->second, series_.loader().find_tenant(parts->tenant));
    }
    if (!tenant->second) continue;
    wanted.emplace_back(*tenant->second, parts->hash);
    places.push_back(i);
  }
  VARVE_ASSIGN_OR_RETURN(const auto groups, series_.loader().groups(wanted));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i]) out[places[i]] = tracker::Member{wanted[i].first, model::to_int(*groups[i])};
  }
  return out;
}

}  // namespace varve::engine::cassandra
