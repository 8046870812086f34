// SPDX-License-Identifier: Apache-2.0
// For tests: a SeriesStore whose tenants are a test's own, where many tests share one store that nobody empties.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/series_store.h"

namespace varve::storage::testing {

class TenantsApart final : public SeriesStore {
 public:
  TenantsApart(SeriesStore& below, std::string prefix) : below_(below), prefix_(std::move(prefix)) {}

  Result<model::TenantId> tenant(std::string_view name) override { return below_.tenant(own(name)); }
  [[nodiscard]] Result<std::optional<model::TenantId>> find_tenant(std::string_view name) const override {
    return below_.find_tenant(own(name));
  }
  [[nodiscard]] Result<std::vector<std::string>> tenants() const override {
    VARVE_ASSIGN_OR_RETURN(auto all, below_.tenants());
    std::erase_if(all, [this](const std::string& name) { return !name.starts_with(prefix_); });
    for (std::string& name : all) name.erase(0, prefix_.size());
    return all;
  }
  [[nodiscard]] bool in_memory() const override { return below_.in_memory(); }
  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override {
    return below_.define_group(tenant, tags, metrics, ttl_s);
  }
  [[nodiscard]] index::GroupNames group_names(model::GroupId group) const override { return below_.group_names(group); }
  [[nodiscard]] Result<std::vector<model::SeriesId>> select(model::TenantId tenant, std::string_view metric,
                                                            const index::Matchers& matchers, model::TimeRange seen = {},
                                                            const storage::GoOn& go_on = {}) const override {
    return below_.select(tenant, metric, matchers, seen, go_on);
  }
  [[nodiscard]] std::vector<model::Tags> tags(model::TenantId tenant,
                                              std::span<const model::SeriesId> series) const override {
    return below_.tags(tenant, series);
  }
  [[nodiscard]] Result<std::vector<std::string>> metric_names(model::TenantId tenant,
                                                              const index::NamePage& page) const override {
    return below_.metric_names(tenant, page);
  }
  [[nodiscard]] Result<std::vector<std::string>> tag_keys(model::TenantId tenant, std::string_view metric,
                                                          const index::NamePage& page) const override {
    return below_.tag_keys(tenant, metric, page);
  }
  [[nodiscard]] Result<std::vector<std::string>> tag_values(model::TenantId tenant, std::string_view metric,
                                                            std::string_view key,
                                                            const index::NamePage& page) const override {
    return below_.tag_values(tenant, metric, key, page);
  }
  [[nodiscard]] Result<std::vector<index::TagCount>> tag_counts(model::TenantId tenant, std::string_view metric,
                                                                const index::TagPage& page) const override {
    return below_.tag_counts(tenant, metric, page);
  }
  [[nodiscard]] Result<std::vector<index::TaggedSeries>> tagged_series(model::TenantId tenant, std::string_view metric,
                                                                       const index::TagPage& page) const override {
    return below_.tagged_series(tenant, metric, page);
  }
  [[nodiscard]] std::optional<std::vector<MetricStats>> metric_stats(
      model::TenantId tenant, std::span<const std::string> metrics) const override {
    return below_.metric_stats(tenant, metrics);
  }
  [[nodiscard]] std::optional<std::vector<SeriesStats>> tag_times(model::TenantId tenant, std::string_view metric,
                                                                  const model::TagViews& tags) const override {
    return below_.tag_times(tenant, metric, tags);
  }
  [[nodiscard]] Result<std::vector<SeriesStats>> series_stats(model::TenantId tenant,
                                                              std::span<const model::SeriesId> series) const override {
    return below_.series_stats(tenant, series);
  }
  void forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) override {
    below_.forget_empty(tenant, series);
  }
  [[nodiscard]] std::size_t series_count() const override {
    std::size_t count = 0;
    const auto own_tenants = tenants().value();
    for (const std::string& name : own_tenants) count += below_.series_count(**below_.find_tenant(own(name)));
    return count;
  }
  [[nodiscard]] std::size_t series_count(model::TenantId tenant) const override { return below_.series_count(tenant); }

 private:
  [[nodiscard]] std::string own(std::string_view name) const { return prefix_ + std::string(name); }
  SeriesStore& below_;
  const std::string prefix_;
};

}  // namespace varve::storage::testing
