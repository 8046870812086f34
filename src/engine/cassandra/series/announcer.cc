// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/series/announcer.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/sort_unique.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {

using model::TenantId;
using shared::shorter_ms;

namespace {

// What a name's row is known by: which table, whose, and what else is in its key.
std::string name_key(char table, std::string_view tenant, std::string_view name, std::size_t generation,
                     model::Timestamp bucket) {
  std::string key(1, table);
  key.append(std::to_string(generation)).append("|").append(std::to_string(bucket)).append("|");
  key.append(std::to_string(tenant.size())).append("|").append(tenant).append(name);
  return key;
}

}  // namespace

// Makes the rows of one announcement.
class Announcer::Rows {
 public:
  Rows(const Announcer& owner, std::int64_t now_us) VARVE_REQUIRES(owner.mutex_)
      : owner_(owner), written_(owner.names_), tables_(owner.tables_), now_us_(now_us) {}

  // `index` may be read.
  void add(const index::SeriesIndex& index, const GroupBucket& what, const Hash& hash) {
    const TenantId tenant_id = index.group_tenant(what.group);
    const std::string tenant(index.tenant_name(tenant_id));
    metrics_.clear();
    const auto series = index.group_series(what.group);
    if (series.empty()) return;  // it has left
    for (const model::SeriesId one : series) metrics_.push_back(index.metric(one));
    index.tags(series[0], tags_);
    const std::uint32_t group_ttl_s = index.group_ttl_s(what.group);
    const Hash list = list_hash(metrics_, group_ttl_s);
    const std::string list_blob = blob_of(list), hash_blob = blob_of(hash), tags = text_map_cell(tags_);
    // What has a time to live or a class of its own need not be found for longer than that; names are those of others,
    // too.
    const std::uint32_t ttl = owner_.ttl_s(what.bucket, now_us_, owner_.retention_ms_);
    const std::int64_t kept_ms = owner_.kept_ms(index, what.group);
    const std::uint32_t own_ttl = owner_.ttl_s(what.bucket, now_us_, shorter_ms(kept_ms, group_ttl_s));
    row(tables_.line_groups, {tenant, hash_blob}, {}, {tags, list_blob}, own_ttl);
    if (fresh(name_key('l', tenant, list_blob, 0, 0))) {
      const auto texts = list_texts(metrics_, group_ttl_s);
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      row(tables_.metric_lists, {tenant, list_blob}, {}, {list_cell(views)}, ttl);
    }
    if (fresh(name_key('t', tenant, {}, 0, 0))) {
      row(tables_.tenants, {smallint_cell(shard_of(tenant))}, {tenant}, {}, ttl);
    }
    const std::string bucket = timestamp_cell(what.bucket);
    const std::string shard = smallint_cell(shard_of(hash));
    sort_unique(metrics_);
    for (const std::string_view metric_view : metrics_) {
      const std::string metric(metric_view);
      row(tables_.series_sets, {tenant, metric, bucket, shard}, {bigint_cell(now_us_), hash_blob}, {list_blob, tags},
          own_ttl);
      wanted_names_.emplace(tenant_id, tenant, metric, what.bucket);
    }
  }

  // After all: they are many fewer than groups. Asks the directory, so not while the index is read.
  void add_names() {
    for (const auto& [id, tenant, metric, bucket] : wanted_names_) {
      const std::uint32_t ttl = owner_.ttl_s(bucket, now_us_, owner_.retention_ms_);
      const std::size_t generation = owner_.directory_.generation(id, metric);
      if (fresh(name_key('m', tenant, metric, generation, 0))) name_row(tenant, metric, ttl);
      if (fresh(name_key('w', tenant, metric, generation, bucket))) {
        row(tables_.metric_time_windows, {tenant, metric}, {timestamp_cell(bucket)}, {}, ttl);
      }
    }
  }

  void name_row(const std::string& tenant, const std::string& metric, std::uint32_t ttl) {
    row(tables_.metric_names, {tenant, smallint_cell(shard_of(metric))}, {metric}, {}, ttl);
  }

  // Those of one partition side by side.
  std::vector<RowWrite> take() {
    std::ranges::stable_sort(rows_, [](const RowWrite& a, const RowWrite& b) {
      return std::tie(a.table->name, a.partition) < std::tie(b.table->name, b.partition);
    });
    return std::move(rows_);
  }
  std::vector<codec::Hash128> take_names() { return {names_.begin(), names_.end()}; }

 private:
  struct Less {
    bool operator()(const codec::Hash128& a, const codec::Hash128& b) const {
      return std::tie(a.low, a.high) < std::tie(b.low, b.high);
    }
  };

  void row(const Table& table, Cells partition, Cells clustering, Cells values, std::uint32_t ttl) {
    rows_.push_back({&table, std::move(partition), std::move(clustering), std::move(values), now_us_, ttl});
  }
  bool fresh(const std::string& key) {
    const codec::Hash128 hash = codec::hash128(key);
    return !written_.contains(hash) && names_.insert(hash).second;
  }

  const Announcer& owner_;
  const std::unordered_set<codec::Hash128, HashOfName>& written_;
  const Tables& tables_;
  const std::int64_t now_us_;
  std::vector<RowWrite> rows_;
  std::set<codec::Hash128, Less> names_;
  std::set<std::tuple<TenantId, std::string, std::string, model::Timestamp>> wanted_names_;
  std::vector<std::string_view> metrics_;
  model::TagViews tags_;
};

Announcer::Announcer(Directory& directory, const Tables& tables, std::int64_t retention_ms)
    : directory_(directory), tables_(tables), retention_ms_(retention_ms) {}

Announcement Announcer::prepare(std::span<const GroupBucket> groups, std::int64_t now_us) {
  Announcement out;
  out.groups.assign(groups.begin(), groups.end());
  out.seen_us = directory_.stamps().draw(now_us);
  std::vector<Hash> hashes;
  hashes.reserve(groups.size());
  for (const GroupBucket& group : groups) hashes.push_back(directory_.name(group.group).hash);
  const MutexLock lock(mutex_);
  if (const auto bucket = index_bucket_of(now_us / 1000); bucket != names_bucket_) {
    names_.clear();
    names_bucket_ = bucket;
  }
  Rows rows(*this, out.seen_us);
  directory_.read([&](const index::SeriesIndex& index) {
    for (std::size_t i = 0; i < groups.size(); ++i) rows.add(index, groups[i], hashes[i]);
    return 0;
  });
  rows.add_names();
  out.rows = rows.take();
  out.names = rows.take_names();
  return out;
}

std::vector<RowWrite> Announcer::names(std::span<const std::pair<TenantId, std::string>> metrics, std::int64_t now_us) {
  const std::int64_t seen_us = directory_.stamps().draw(now_us);
  const MutexLock lock(mutex_);
  Rows rows(*this, seen_us);
  for (const auto& [tenant, metric] : metrics) {
    rows.name_row(directory_.tenant_name(tenant), metric, ttl_s(now_us));
  }
  return rows.take();
}

bool Announcer::confirm(const Announcement& announcement, std::int64_t now_us) {
  if (now_us - announcement.seen_us > kWrittenWithinUs) return false;
  directory_.announced(announcement.groups, announcement.seen_us);
  const MutexLock lock(mutex_);
  // Not those of an index bucket that is over.
  if (index_bucket_of(announcement.seen_us / 1000) == names_bucket_) {
    names_.insert(announcement.names.begin(), announcement.names.end());
  }
  return true;
}

std::vector<tracker::redis::VersionsRaised> Announcer::raised(const Announcement& announcement) const {
  std::map<std::string, std::set<model::Timestamp>> tenants;
  directory_.read([&](const index::SeriesIndex& index) {
    for (const GroupBucket& group : announcement.groups) {
      tenants[std::string(index.tenant_name(index.group_tenant(group.group)))].insert(group.bucket);
    }
    return 0;
  });
  std::vector<tracker::redis::VersionsRaised> out;
  for (const auto& [tenant, buckets] : tenants) {
    out.push_back({tenant, {buckets.begin(), buckets.end()}, {}, !announcement.names.empty()});
  }
  return out;
}

std::uint32_t Announcer::ttl_s(std::int64_t now_us, model::Timestamp bucket) const {
  return ttl_s(bucket, now_us, retention_ms_);
}

std::int64_t Announcer::kept_ms(const index::SeriesIndex& index, model::GroupId group) const {
  if (directory_.classes().empty()) return retention_ms_;
  return directory_.group_retentions().all()[directory_.kept(index, group)].longest_ms();
}

std::uint32_t Announcer::ttl_s(model::Timestamp bucket, std::int64_t now_us, std::int64_t kept_ms) const {
  if (kept_ms >= rollup::kForEver) return 0;
  const std::int64_t ttl = (kept_ms + kIndexBucketMs + std::max<std::int64_t>(0, bucket - now_us / 1000)) / 1000;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(ttl, UINT32_MAX));
}

std::int64_t longest_retention_ms(const SchemaOptions& schema) { return classes_of(schema).longest().longest_ms(); }

}  // namespace varve::engine::cassandra
