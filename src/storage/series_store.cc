// SPDX-License-Identifier: Apache-2.0
#include "storage/series_store.h"

#include <algorithm>

namespace varve::storage {

Result<model::GroupId> SeriesStore::group_of_ttl(model::GroupId like, std::uint32_t ttl_s) {
  const index::GroupNames names = group_names(like);
  const std::vector<std::string_view> metrics(names.metrics.begin(), names.metrics.end());
  return define_group(names.tenant, model::to_views(names.tags), metrics, ttl_s);
}

Result<bool> SeriesStore::has_series(model::TenantId tenant, std::string_view metric,
                                     const model::TagViews& tags) const {
  index::Matchers matchers;
  for (const auto& [key, value] : tags) {
    matchers.push_back({std::string(key), index::Matcher::Kind::any_of, {std::string(value)}});
  }
  VARVE_ASSIGN_OR_RETURN(const auto found, select(tenant, metric, matchers));
  // Others may have more tags.
  const auto all_tags = this->tags(tenant, found);
  return std::ranges::any_of(all_tags, [&](const model::Tags& of_one) { return of_one.size() == tags.size(); });
}

}  // namespace varve::storage
