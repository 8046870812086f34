// SPDX-License-Identifier: Apache-2.0
// Catalog: the series index, the line groups with forgotten series, and definitions that are not in the log yet.
//
// Definitions are created under the index's lock. The writer of the log takes them, in order of creation, and writes
// them in front of the next rows.
//
// Forgetting has two steps, so that it needs no lock that blocks appends: after keep_out(), rows of these line groups
// may be written only after revive(); forget() then forgets the series whose groups are all still kept out.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "engine/rocksdb/head/head.h"
#include "engine/shared/reconcile.h"
#include "engine/shared/series_retentions.h"
#include "engine/shared/shared_groups.h"
#include "index/series_index.h"
#include "model/ids.h"
#include "model/row.h"
#include "storage/row_check.h"

namespace varve::engine::rocksdb {

// The set of line groups that may hold a forgotten series. Checked for every batch unless it is empty. Not thread-safe.
class ForgottenGroups {
 public:
  void add(model::GroupId group) {
    const std::uint32_t g = model::to_int(group);
    if (g >= bits_.size()) bits_.resize(std::max<std::size_t>(g + 1, bits_.size() * 3 / 2));
    count_ += bits_[g] ? 0 : 1;
    bits_[g] = true;
  }
  void remove(model::GroupId group) {
    if (!contains(group)) return;
    check(count_ > 0, "groups are counted");
    bits_[model::to_int(group)] = false;
    --count_;
  }
  [[nodiscard]] bool contains(model::GroupId group) const {
    return model::to_int(group) < bits_.size() && bits_[model::to_int(group)];
  }
  // Does any of the rows belong to a group in the set?
  [[nodiscard]] bool any_in(std::span<const std::byte> rows) const {
    if (count_ == 0) return false;
    const std::byte* const end = rows.data() + rows.size();
    for (const std::byte* at = rows.data(); at != end;) {
      const model::RowView row{at};
      if (contains(row.group())) return true;
      at += row.bytes();
    }
    return false;
  }
  // Appends the rows of all other groups to `out`; returns the number of samples in the rows left out.
  std::size_t leave_out(std::span<const std::byte> rows, std::vector<std::byte>& out) const {
    std::size_t samples = 0;
    const std::byte* const end = rows.data() + rows.size();
    for (const std::byte* at = rows.data(); at != end;) {
      const model::RowView row{at};
      at += row.bytes();
      if (contains(row.group())) {
        samples += row.samples();
      } else {
        out.insert(out.end(), row.at, at);
      }
    }
    return samples;
  }
  // Appends to `out` all rows but those of markers of groups in the set.
  void leave_out_markers(std::span<const std::byte> rows, std::vector<std::byte>& out) const {
    const std::byte* const end = rows.data() + rows.size();
    for (const std::byte* at = rows.data(); at != end;) {
      const model::RowView row{at};
      at += row.bytes();
      if (row.samples() == 0 && contains(row.group())) continue;
      out.insert(out.end(), row.at, at);
    }
  }

 private:
  std::vector<bool> bits_;
  std::size_t count_ = 0;
};

// Thread-safe.
class Catalog {
 public:
  // `classes` must outlive it.
  Catalog(std::size_t series_per_tenant_max, const rollup::RetentionClasses& classes)
      : retentions(classes), series_max_(series_per_tenant_max) {}

  // Readers take it shared. What the index returns stays valid after unlocking until the index is exchanged: for jobs
  // and flushes, during which it is not, or for whoever keeps index.pin().
  mutable SharedMutex mutex;
  index::SeriesIndex index VARVE_GUARDED_BY(mutex);
  shared::SharedGroups shared_groups VARVE_GUARDED_BY(mutex);
  const shared::SeriesRetentions retentions;
  storage::RowCheck row_check;  // learns under the lock, is asked without it

  // Those of the groups (ascending) that share a series with another group. Gives up the lock between some of them.
  [[nodiscard]] std::vector<shared::SharedGroup> shared_of(std::span<const std::uint32_t> groups) const
      VARVE_EXCLUDES(mutex);
  // By group, as far as any is shared; empty: none is.
  [[nodiscard]] std::vector<bool> which_are_shared() const VARVE_EXCLUDES(mutex);

  // As in index/series_index.h.
  model::TenantId tenant(std::string_view name) VARVE_EXCLUDES(mutex, waiting_mutex_);
  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s)
      VARVE_EXCLUDES(mutex, waiting_mutex_);

  // May data of some series be over before their slot is: by a time to live, or by a class?
  [[nodiscard]] bool has_early_ends() const VARVE_REQUIRES_SHARED(mutex) {
    return index.has_mortal_groups() || retentions.any();
  }
  // How long slots of the tenant are kept. The answer stays valid.
  [[nodiscard]] const rollup::Retention& kept(model::TenantId tenant) const VARVE_EXCLUDES(mutex);
  // May series of the tenant be kept for different times?
  [[nodiscard]] bool keeps_differently(model::TenantId tenant) const VARVE_EXCLUDES(mutex);

  // Tenants with more than half of the series that they may have, ascending.
  [[nodiscard]] std::vector<model::TenantId> filling_tenants() const VARVE_EXCLUDES(mutex);
  // As in index/series_index.h.
  void set_quiet(model::TenantId tenant, std::size_t series) VARVE_EXCLUDES(mutex);

  [[nodiscard]] std::string take_definitions() VARVE_EXCLUDES(waiting_mutex_);
  // Puts definitions back that could not be written, in front, because later ones refer to them by number.
  void put_back_definitions(std::string_view taken) VARVE_EXCLUDES(waiting_mutex_);

  // Does one of the rows belong to a group that is kept out?
  [[nodiscard]] bool keeps_out(std::span<const std::byte> rows) const VARVE_EXCLUDES(waiting_mutex_);
  // Appends the rows of groups that are not kept out to `out`; returns the number of samples in the other rows.
  std::size_t leave_out(std::span<const std::byte> rows, std::vector<std::byte>& out) const
      VARVE_EXCLUDES(waiting_mutex_);
  // The same of all rows but those of markers of groups that are kept out: nothing of these has ended.
  void leave_out_markers(std::span<const std::byte> rows, std::vector<std::byte>& out) const
      VARVE_EXCLUDES(waiting_mutex_);
  // Lets in the groups of the rows and revives their series, but for groups that have nothing but markers here, and no
  // series that is there. Errors, of which some are left out: limit (the tenant is
  // full), invalid (one has left the index: whoever asks for it by name gets another one).
  Status revive(std::span<const std::byte> rows) VARVE_EXCLUDES(mutex, waiting_mutex_);
  // Precondition: no head holds rows of these groups, and no append is running.
  void keep_out(std::span<const model::GroupId> groups) VARVE_EXCLUDES(waiting_mutex_);
  void forget(std::span<const model::SeriesId> series) VARVE_EXCLUDES(mutex, waiting_mutex_);
  // At start: revives forgotten series with values in the head, and keeps out the groups of all others.
  void revive_written(const Head& head) VARVE_EXCLUDES(mutex, waiting_mutex_);

  // --- What is gone leaves (leave_out.h).
  // As in storage/series_store.h.
  [[nodiscard]] std::uint64_t group_generation() const { return group_generation_.load(std::memory_order_relaxed); }
  void change_group_generation() { group_generation_.fetch_add(1, std::memory_order_relaxed); }
  // From now on keeps a copy of all definitions; false: no longer.
  void note_definitions(bool note) VARVE_EXCLUDES(waiting_mutex_);
  [[nodiscard]] std::string take_noted() VARVE_EXCLUDES(waiting_mutex_);
  // `other`, which has everything but what is gone, and has caught up with all noted definitions but the last, takes
  // the place of the index. `left_out` says it to the log. Returns those last ones. Error: see SeriesIndex::catch_up();
  // the index stays.
  Result<std::string> exchange_index(index::SeriesIndex& other, std::string_view left_out)
      VARVE_EXCLUDES(mutex, waiting_mutex_);

 private:
  [[nodiscard]] const shared::SeriesRetentions::OfTenant& retentions_of(model::TenantId tenant) const
      VARVE_EXCLUDES(mutex);
  void keep_out_forgotten() VARVE_REQUIRES(mutex, waiting_mutex_);
  Status let_in(model::GroupId group, bool has_values) VARVE_REQUIRES(mutex, waiting_mutex_);

  // Notes those of definitions_ that are not noted yet.
  void note_pending() VARVE_REQUIRES(waiting_mutex_);

  const std::size_t series_max_;
  std::atomic<std::uint64_t> group_generation_{0};
  mutable Mutex waiting_mutex_ VARVE_ACQUIRED_AFTER(mutex);
  std::string definitions_ VARVE_GUARDED_BY(waiting_mutex_);  // not in the log yet
  bool notes_ VARVE_GUARDED_BY(waiting_mutex_) = false;
  std::string noted_ VARVE_GUARDED_BY(waiting_mutex_);
  std::size_t noted_from_ VARVE_GUARDED_BY(waiting_mutex_) = 0;  // what of definitions_ is not noted yet
  ForgottenGroups kept_out_ VARVE_GUARDED_BY(waiting_mutex_);
};

}  // namespace varve::engine::rocksdb
