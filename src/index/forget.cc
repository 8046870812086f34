// SPDX-License-Identifier: Apache-2.0
// Forgetting: series of which no data are left vanish from every answer. Their numbers, names and groups stay, so that
// whoever knows a group may write to it again: the series are revived then.
#include "index/ranges.h"
#include "index/tables.h"

namespace varve::index {

void revive_series(Catalog& catalog, std::span<const model::SeriesId> series, std::string& definitions) {
  Ranges ranges(definitions, DefinitionKind::revive);
  for (const model::SeriesId one : series) {
    const std::uint32_t id = model::to_int(one);
    if (!catalog.is_forgotten(id)) continue;
    catalog.revive(id);
    ranges.add(id);
  }
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

bool SeriesIndex::is_forgotten(model::SeriesId series) const {
  return tables_->catalog.is_forgotten(model::to_int(series));
}

}  // namespace varve::index
