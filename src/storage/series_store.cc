// SPDX-License-Identifier: Apache-2.0
#include "storage/series_store.h"

namespace varve::storage {

Result<model::GroupId> SeriesStore::group_of_ttl(model::GroupId like, std::uint32_t ttl_s) {
  const index::GroupNames names = group_names(like);
  const std::vector<std::string_view> metrics(names.metrics.begin(), names.metrics.end());
  return define_group(names.tenant, model::to_views(names.tags), metrics, ttl_s);
}

}  // namespace varve::storage
