// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/seal_batch.h"

#include "model/series_key.h"
#include "tracker/partition.h"

namespace varve::engine::rocksdb {

const SealBatch& SealBatcher::next(std::span<const std::uint32_t> groups) {
  batch_.groups.clear();
  const ReaderLock lock(catalog_.mutex);
  std::size_t series = 0;
  for (const std::uint32_t number : groups) {
    const model::GroupId id{number};
    SealedGroup group{number, catalog_.index.group_series(id), {}, catalog_.shared_groups.contains(number), true};
    series += group.series.size();
    if (series > kSeries && !batch_.groups.empty()) break;
    group.ours = is_ours(group.series, catalog_.index.group_tenant(id));
    for (const model::SeriesId one : group.series) {
      if (options_.rollups.kind_of(catalog_.index.metric(one)) != rollup::Kind::gauge) group.counters.push_back(one);
    }
    batch_.groups.push_back(std::move(group));
  }
  return batch_;
}

bool SealBatcher::is_ours(std::span<const model::SeriesId> series, model::TenantId tenant) {
  if (partitions_.size() == options_.partitions) return true;
  catalog_.index.tags(series[0], tags_);
  const auto hash = model::series_set_hash(model::series_key(catalog_.index.metric(series[0]), tags_));
  return std::ranges::binary_search(
      partitions_, tracker::partition_of(catalog_.index.tenant_name(tenant), hash, options_.partitions));
}

}  // namespace varve::engine::rocksdb
