// SPDX-License-Identifier: Apache-2.0
// When the series of a metric with a tag were seen.
#include "engine/rocksdb/store_state.h"
#include "engine/rocksdb/tag_search.h"

namespace varve::engine::rocksdb {

using storage::SeriesStats;

std::optional<std::vector<SeriesStats>> Store::tag_times(model::TenantId tenant, std::string_view metric,
                                                         const model::TagViews& tags) const {
  const View now = state_->visible.now();  // of one moment: what is flushed later is still in these heads
  std::optional<TagSearch> search;
  {
    const ReaderLock lock(state_->catalog.mutex);
    if (state_->catalog.index.has_mortal_groups()) return std::nullopt;  // the times of what has expired are others
    const auto number = state_->catalog.index.find_metric(tenant, metric);
    if (!number) return std::nullopt;
    search.emplace(state_->catalog, *number, tags.size());
    for (std::size_t i = 0; i < tags.size(); ++i) {
      const auto tag = state_->catalog.index.find_tag(tenant, tags[i].key, tags[i].value);
      if (tag) search->add_tag(*tag, i);
    }
  }
  search->add_pages(*now.stats);
  for (const auto& head : {now.immutable, now.head}) {
    if (head != nullptr) search->add_head(*head);
  }
  return search->run();
}

}  // namespace varve::engine::rocksdb
