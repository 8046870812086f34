// SPDX-License-Identifier: Apache-2.0
// Catalog: the index of series, which of them are forgotten, and the definitions that are not in the log yet.
//
// Definitions are made under the index's lock and taken by whoever writes the log, in the order in which they were
// made, in front of the next rows.
//
// Forgetting takes two steps, so that it needs no lock that appends wait for: keep_out() says which line groups may be
// written only after revive(), and forget() forgets the series of which all groups are still kept out by then.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/series/forgotten_groups.h"
#include "engine/shared/shared_groups.h"
#include "index/series_index.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class Catalog {
 public:
  explicit Catalog(std::size_t series_per_tenant_max) : series_max_(series_per_tenant_max) {}

  // Readers hold it as readers; what the index returns outlives the lock.
  mutable SharedMutex mutex;
  index::SeriesIndex index VARVE_GUARDED_BY(mutex);
  shared::SharedGroups shared_groups VARVE_GUARDED_BY(mutex);

  // These as index/series_index.h says.
  model::TenantId tenant(std::string_view name) VARVE_EXCLUDES(mutex, waiting_mutex_);
  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s)
      VARVE_EXCLUDES(mutex, waiting_mutex_);

  [[nodiscard]] std::string take_definitions() VARVE_EXCLUDES(waiting_mutex_);
  // They could not be written. Later ones refer to them by number: they stay in front.
  void put_back_definitions(std::string_view taken) VARVE_EXCLUDES(waiting_mutex_);

  // Does one of the rows belong to a group that is kept out?
  [[nodiscard]] bool keeps_out(std::span<const std::byte> rows) const VARVE_EXCLUDES(waiting_mutex_);
  // Appends the rows of all other groups to `out`; returns how many samples those of the groups kept out have.
  std::size_t leave_out(std::span<const std::byte> rows, std::vector<std::byte>& out) const
      VARVE_EXCLUDES(waiting_mutex_);
  // Lets in the groups of the rows, and brings back their series. Error: limit (not all, as the tenant is full).
  Status revive(std::span<const std::byte> rows) VARVE_EXCLUDES(mutex, waiting_mutex_);
  // No head holds rows of these groups, and no append is under way.
  void keep_out(std::span<const model::GroupId> groups) VARVE_EXCLUDES(waiting_mutex_);
  void forget(std::span<const model::SeriesId> series) VARVE_EXCLUDES(mutex, waiting_mutex_);
  // Of a start: what the log brought into the head is back, all else that is forgotten is kept out.
  void revive_written(const Head& head) VARVE_EXCLUDES(mutex, waiting_mutex_);

 private:
  const std::size_t series_max_;
  mutable Mutex waiting_mutex_ VARVE_ACQUIRED_AFTER(mutex);
  std::string definitions_ VARVE_GUARDED_BY(waiting_mutex_);  // not in the log yet
  ForgottenGroups kept_out_ VARVE_GUARDED_BY(waiting_mutex_);
};

}  // namespace varve::engine::rocksdb
