// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/series/directory.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "engine/shared/reader_turns.h"
#include "tracker/partition.h"

namespace varve::engine::cassandra {

using model::GroupId;
using model::SeriesId;
using model::TenantId;

TenantId Directory::tenant(std::string_view name) {
  if (const auto known = find_tenant(name)) return *known;
  const MutexLock lock(mutex_);
  const TenantId id = index_.tenant(name, definitions_);
  drop_definitions();
  return id;
}

std::optional<TenantId> Directory::find_tenant(std::string_view name) const {
  const ReaderLock lock(mutex_);
  return index_.find_tenant(name);
}

std::string Directory::tenant_name(TenantId tenant) const {
  const ReaderLock lock(mutex_);
  return std::string(index_.tenant_name(tenant));
}

std::optional<GroupId> Directory::find_locked(TenantId tenant, const Hash& hash) const {
  const std::uint32_t found = groups_.find(model::to_int(tenant), hash, is_of(tenant));
  if (found == index::kNone) return std::nullopt;
  return GroupId{found};
}

std::optional<GroupId> Directory::find(TenantId tenant, const Hash& hash, model::Timestamp bucket) {
  const ReaderLock lock(mutex_);
  const auto group = find_locked(tenant, hash);
  if (group) groups_.found(*group, bucket);
  return group;
}

GroupName Directory::name(GroupId group) const {
  const ReaderLock lock(mutex_);
  return name_locked(group);
}

std::vector<GroupName> Directory::names(std::span<const GroupId> groups) const {
  std::vector<GroupName> out;
  out.reserve(groups.size());
  const ReaderLock lock(mutex_);
  for (const GroupId group : groups) out.push_back(name_locked(group));
  return out;
}

std::vector<GroupName> Directory::names_to_write(std::span<const GroupId> groups, std::int64_t now_us) {
  std::vector<GroupName> out;
  out.reserve(groups.size());
  const ReaderLock lock(mutex_);
  for (const GroupId group : groups) {
    out.push_back(name_locked(group));
    if (out.back().tenant != model::kNoTenant) groups_.touch(group, now_us);
  }
  return out;
}

GroupName Directory::name_locked(GroupId group) const {
  check(model::to_int(group) < groups_.size(), "a group that there is");
  const TenantId tenant = index_.group_tenant(group);
  if (tenant == model::kNoTenant) return {tenant, {}, 0, 0};
  return {tenant, groups_[group].hash, groups_.partition(group),
          prefix_bits(groups_.of_tenant(model::to_int(tenant)), groups_.sharing_tags(group))};
}

Result<GroupId> Directory::define_locked(TenantId tenant, const Hash& hash, const model::TagViews& tags,
                                         std::span<const std::string_view> metrics, std::uint32_t ttl_s,
                                         std::size_t series_max) {
  const auto group = index_.define_group(tenant, tags, metrics, series_max, definitions_, ttl_s);
  drop_definitions();
  if (group && model::to_int(*group) == groups_.size()) {
    groups_.add(model::to_int(tenant), hash, is_of(tenant), [&]() VARVE_NO_THREAD_ANALYSIS {
      return tracker::partition_of(index_.tenant_name(tenant), tags_hash(tags), options_.partitions);
    });
    row_check_.catch_up(index_);
  }
  return group;
}

Result<GroupId> Directory::define(TenantId tenant, const model::TagViews& tags,
                                  std::span<const std::string_view> metrics, std::uint32_t ttl_s, std::int64_t now_us) {
  const Hash hash = group_hash(metrics, tags, ttl_s);
  const MutexLock lock(mutex_);
  const auto group = define_locked(tenant, hash, tags, metrics, ttl_s, options_.series_per_tenant_max);
  if (group) groups_.touch(*group, now_us);
  if (group && !forgotten_.empty()) {
    for (const std::string_view metric : metrics) {
      if (Forgotten* const found = forgotten(tenant, metric, tags)) found->hidden = false;  // defined: it is there
    }
  }
  return group;
}

Result<std::vector<SeriesId>> Directory::select(TenantId tenant, std::string_view metric,
                                                const index::Matchers& matchers, const storage::GoOn& go_on) const {
  const ReaderLock lock(mutex_);
  shared::ReaderTurns turns(mutex_, go_on);
  return index_.select(tenant, metric, matchers, nullptr, &turns);
}

bool Directory::is_news(TenantId tenant, std::string_view metric, const Hash& hash, model::Timestamp bucket) {
  const ReaderLock lock(mutex_);
  const auto group = find_locked(tenant, hash);
  if (!group) return true;
  groups_.found(*group, bucket);
  return !forgotten_.empty() && forgotten_.contains({tenant, std::string(metric)});
}

Status Directory::add(TenantId tenant, std::string_view metric, const FoundGroup& found) {
  if (group_hash(found.metrics, found.tags, found.ttl_s) != found.hash) {
    return fail(Code::corrupt, "a line group of " + std::string(metric) + " has not the hash of its tags and metrics");
  }
  const MutexLock lock(mutex_);
  auto group = find_locked(tenant, found.hash);
  if (!group) {
    VARVE_ASSIGN_OR_RETURN(
        group, define_locked(tenant, found.hash, found.tags, found.metrics, found.ttl_s, std::size_t{1} << 31));
    if (!forgotten_.empty()) {  // defining has shown all
      for (const SeriesId series : index_.group_series(*group)) {
        const Forgotten* const gone = forgotten(series);
        if (gone != nullptr && gone->hidden) index_.forget({&series, 1}, definitions_);
      }
      drop_definitions();
    }
  }
  groups_.found(*group, found.bucket);
  if (!metric.empty() && !forgotten_.empty()) show(*group, metric, found.seen_us);
  return {};
}

// Announced then, for this metric: its series is there, if it was forgotten before.
void Directory::show(GroupId group, std::string_view metric, std::int64_t seen_us) {
  std::vector<SeriesId> hidden;
  bool shows = false;
  for (const SeriesId series : index_.group_series(group)) {
    Forgotten* gone = nullptr;
    if (metric.empty() || index_.metric(series) == metric) gone = forgotten(series);
    if (gone != nullptr && gone->at_us < seen_us) {
      gone->hidden = false;
      shows = shows || index_.is_forgotten(series);
    } else if (index_.is_forgotten(series)) {
      hidden.push_back(series);
    }
  }
  if (!shows) return;
  index_.revive(group, definitions_);
  index_.forget(hidden, definitions_);
  drop_definitions();
}

std::vector<GroupBucket> Directory::missing(std::span<const GroupBucket> wanted, std::int64_t now_us) {
  constexpr std::size_t kAhead = 8;
  std::vector<GroupBucket> out;
  const std::int64_t now = stamps_.now(now_us);
  const ReaderLock lock(mutex_);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i + kAhead < wanted.size()) groups_.prefetch(wanted[i + kAhead].group);
    if (groups_.is_gap(wanted[i].group)) continue;  // only if it was not written to for weeks
    if (!groups_.look(wanted[i], now)) out.push_back(wanted[i]);
  }
  return out;
}

void Directory::announced(std::span<const GroupBucket> groups, std::int64_t seen_us) {
  const MutexLock lock(mutex_);
  for (const GroupBucket& what : groups) {
    check(model::to_int(what.group) < groups_.size(), "a group that there is");
    if (groups_.is_gap(what.group)) continue;
    if (!forgotten_.empty()) {
      if (is_late(what.group, seen_us)) continue;
      show(what.group, {}, seen_us);
    }
    groups_.announced(what, seen_us);
    const std::uint32_t tenant = model::to_int(index_.group_tenant(what.group));
    check(tenant != model::to_int(model::kNoTenant), "a group that is no gap is of a tenant");
    if (tenant >= announced_tenants_.size()) announced_tenants_.resize(tenant + 1);
    announced_tenants_[tenant] = true;
  }
}

std::vector<TenantId> Directory::announced_tenants() const {
  const ReaderLock lock(mutex_);
  std::vector<TenantId> out;
  for (std::uint32_t tenant = 0; tenant < announced_tenants_.size(); ++tenant) {
    if (announced_tenants_[tenant]) out.push_back(TenantId{tenant});
  }
  return out;
}

std::size_t Directory::group_bytes() const {
  const ReaderLock lock(mutex_);
  return groups_.memory_bytes();
}

std::size_t Directory::memory_bytes() const {
  constexpr std::size_t kForgottenBytes = 64;
  const ReaderLock lock(mutex_);
  std::size_t bytes = index_.memory_bytes() + groups_.memory_bytes();
  for (const auto& [key, metric] : forgotten_) bytes += metric.series.size() * kForgottenBytes;
  return bytes;
}

GroupRetentions::Number Directory::kept(const index::SeriesIndex& index, model::GroupId group) const {
  if (!retentions_.any()) return GroupRetentions::kGeneral;
  std::vector<rollup::RetentionClasses::Number> classes;
  for (const model::SeriesId one : index.group_series(group)) classes.push_back(class_of(index, one));
  return group_retentions_.of(classes);
}

}  // namespace varve::engine::cassandra
