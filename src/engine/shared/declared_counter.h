// SPDX-License-Identifier: Apache-2.0
// Declared counter: is a series a counter, and by which rules?
#pragma once

#include <algorithm>
#include <optional>

#include "index/series_index.h"
#include "rollup/levels.h"

namespace varve::engine::shared {

// The caller holds the index's lock.
inline std::optional<counter::Declaration> declared_counter(const rollup::Levels& rollups,
                                                            const index::SeriesIndex& index, model::TenantId tenant,
                                                            model::SeriesId series) {
  if (rollups.counters == nullptr) return std::nullopt;
  model::TagViews tags;  // looked up when somebody asks
  const counter::TagOf tag_of = [&](std::string_view key) -> std::string_view {
    if (tags.empty()) index.tags(series, tags);
    const auto found = std::ranges::find_if(tags, [key](const auto& tag) { return tag.key == key; });
    return found == tags.end() ? std::string_view{} : found->value;
  };
  return rollups.counters->find(index.tenant_name(tenant), index.metric(series), tag_of);
}

}  // namespace varve::engine::shared
