// SPDX-License-Identifier: Apache-2.0
// When the series of a metric with a tag were seen.
#include "engine/rocksdb/store_state.h"
#include "engine/rocksdb/tag_search.h"

namespace varve::engine::rocksdb {

using storage::SeriesStats;

std::optional<std::vector<SeriesStats>> Store::tag_times(model::TenantId tenant, std::string_view metric,
                                                         const model::TagViews& tags) const {
  const View now = state_->visible.now();  // of one moment: what is flushed later is still in these heads
  std::optional<std::uint32_t> number;
  std::vector<std::optional<std::uint32_t>> numbers;
  {
    const ReaderLock lock(state_->catalog.mutex);
    if (state_->catalog.has_early_ends()) return std::nullopt;  // the times of what has expired are others
    number = state_->catalog.index.find_metric(tenant, metric);
    for (const auto& [key, value] : tags) numbers.push_back(state_->catalog.index.find_tag(tenant, key, value));
  }
  if (!number) return std::nullopt;
  TagSearch search(state_->catalog, *number, tags.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i]) search.add_tag(*numbers[i], i);
  }
  search.add_pages(*now.stats);
  for (const auto& head : {now.immutable, now.head}) {
    if (head != nullptr) search.add_head(*head);
  }
  return search.run();
}

}  // namespace varve::engine::rocksdb
