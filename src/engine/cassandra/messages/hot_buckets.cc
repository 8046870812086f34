// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/hot_buckets.h"

#include <algorithm>

namespace varve::engine::cassandra {

HotBuckets::Taken HotBuckets::take(std::string_view tenant, model::Timestamp slot, std::int64_t arrived_us,
                                   std::size_t bytes) {
  const MutexLock lock(mutex_);
  if (current_.size() >= sweep_at_) {
    std::erase_if(current_, [&](const auto& one) { return one.second.opened_us + kHotBucketUs <= arrived_us; });
    sweep_at_ = std::max(kSweptAt, 2 * current_.size());
  }
  Current& current = current_[{std::string(tenant), slot}];
  const bool is_over = arrived_us >= current.opened_us + kHotBucketUs;
  if (current.opened_us == 0 || is_over || current.bytes + bytes > kBytesMax) current = {arrived_us, 0, false};
  current.bytes += bytes;
  return {current.opened_us, current.is_named};
}

void HotBuckets::named(std::string_view tenant, model::Timestamp slot, std::int64_t opened_us) {
  const MutexLock lock(mutex_);
  const auto at = current_.find({std::string(tenant), slot});
  if (at != current_.end() && at->second.opened_us == opened_us) at->second.is_named = true;
}

}  // namespace varve::engine::cassandra
