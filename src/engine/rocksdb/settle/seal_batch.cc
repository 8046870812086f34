// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/seal_batch.h"

#include "model/series_key.h"
#include "tracker/partition.h"

namespace varve::engine::rocksdb {

const SealBatch& SealBatcher::next(std::span<const std::uint32_t> groups) {
  batch_.groups.clear();
  const std::shared_lock lock(index_mutex_);
  std::size_t series = 0;
  for (const std::uint32_t number : groups) {
    const model::GroupId id{number};
    SealedGroup group{number, index_.group_series(id), {}, shared_groups_.contains(number), true};
    series += group.series.size();
    if (series > kSeries && !batch_.groups.empty()) break;
    group.ours = is_ours(group.series, index_.group_tenant(id));
    for (const model::SeriesId one : group.series) {
      if (options_.rollups.kind_of(index_.metric(one)) != rollup::Kind::gauge) group.counters.push_back(one);
    }
    batch_.groups.push_back(std::move(group));
  }
  return batch_;
}

bool SealBatcher::is_ours(std::span<const model::SeriesId> series, model::TenantId tenant) {
  if (partitions_.size() == options_.partitions) return true;
  index_.tags(series[0], tags_);
  const auto hash = model::series_set_hash(model::series_key(index_.metric(series[0]), tags_));
  return std::ranges::binary_search(partitions_,
                                    tracker::partition_of(index_.tenant_name(tenant), hash, options_.partitions));
}

}  // namespace varve::engine::rocksdb
