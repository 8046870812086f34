// SPDX-License-Identifier: Apache-2.0
// Reading parts of the index: rows become groups of the directory.
#include <algorithm>
#include <set>

#include "engine/cassandra/series/loader.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {

using model::GroupId;
using model::TenantId;

namespace {

// By how much the clocks of replicas may differ: all follow that of Redis.
constexpr std::int64_t kSlackUs = 50'000;

Status bad_hash(const Table& table) { return fail(Code::corrupt, "a hash in " + table.name + " has not 16 bytes"); }

}  // namespace

// What was read of one part.
class Loader::Collected {
 public:
  Collected(Loader& owner, const PartRead& part) : owner_(owner), part_(part) {}

  // The reads that make it whole.
  void ask(const std::string& tenant, std::vector<RowRead>& reads) const {
    const Tables& tables = owner_.tables_;
    std::optional<std::string> from;
    if (part_.from_us != 0) from = bigint_cell(part_.from_us);
    if (part_.key.kind == PartKind::windows) {
      reads.push_back({&tables.metric_time_windows, {tenant, part_.key.metric}, {}, {}, {}});
      return;
    }
    for (std::int16_t number = 0; number < kShards; ++number) {
      const std::string shard = smallint_cell(number);
      if (part_.key.kind == PartKind::names) {
        reads.push_back({&tables.metric_names, {tenant, shard}, {}, {}, {}});
      } else if (part_.key.kind == PartKind::forgotten) {
        reads.push_back({&tables.forgotten, {tenant, part_.key.metric, shard}, from, {}, {}});
      } else {
        const std::string bucket = timestamp_cell(part_.key.bucket);
        reads.push_back(
            {&tables.series_sets, {tenant, part_.key.metric, bucket, shard}, from, {}, {"list_hash", "tags"}});
      }
    }
  }

  Status take(const RowView& row) {
    const auto& cells = row.cells;
    const Tables& tables = owner_.tables_;
    if (part_.key.kind == PartKind::names) {
      names_.emplace_back(cells[0]);
      return {};
    }
    VARVE_ASSIGN_OR_RETURN(const std::int64_t number, bigint_of(cells[0]));  // µs, or the start of an index bucket
    if (part_.key.kind == PartKind::windows) {
      buckets_.push_back(number);
      return {};
    }
    Hash hash;
    if (part_.key.kind == PartKind::forgotten) {
      if (!hash_of(cells[1], hash)) return bad_hash(tables.forgotten);
      forgotten_.emplace_back(hash, number);
      return {};
    }
    Row found{{}, {}, {}, number};
    if (!hash_of(cells[1], found.hash) || !hash_of(cells[2], found.list)) return bad_hash(tables.series_sets);
    if (!owner_.directory_.is_news(part_.key.tenant, part_.key.metric, found.hash, part_.key.bucket)) {
      return {};
    }
    found.tags = cells[3];
    rows_.push_back(std::move(found));
    return {};
  }

  // What was forgotten comes first: announcements since then make it undone.
  void apply_forgotten() {
    if (!forgotten_.empty()) owner_.add_forgotten(part_.key.tenant, part_.key.metric, forgotten_, kSlackUs);
  }
  Status apply(const Limits& limits) {
    const auto& [kind, tenant, metric, bucket] = part_.key;
    if (kind == PartKind::series) return owner_.add(tenant, metric, bucket, rows_, limits);
    std::ranges::sort(names_);
    const MutexLock lock(owner_.mutex_);
    if (kind == PartKind::names) owner_.tenants_[tenant].names = std::move(names_);
    if (kind == PartKind::windows) owner_.windows_[{tenant, metric}] = std::move(buckets_);
    return {};
  }

 private:
  Loader& owner_;
  const PartRead& part_;
  std::vector<std::string> names_;
  std::vector<model::Timestamp> buckets_;
  std::vector<std::pair<Hash, std::int64_t>> forgotten_;
  std::vector<Row> rows_;
};

// What was announced later than that makes it undone, and may have been read already.
void Loader::add_forgotten(TenantId tenant, const std::string& metric,
                           std::span<const std::pair<Hash, std::int64_t>> series, std::int64_t slack_us) {
  std::int64_t first_us = INT64_MAX;
  for (const auto& [hash, at_us] : series) first_us = std::min(first_us, at_us);
  if (!directory_.add_forgotten(tenant, metric, series, slack_us)) return;
  parts_.read_again(tenant, metric, std::max<std::int64_t>(1, first_us));
}

void Loader::forgot(TenantId tenant, const std::string& metric, std::span<const std::pair<Hash, std::int64_t>> series) {
  add_forgotten(tenant, metric, series, 0);
}

Status Loader::read(const std::vector<PartRead>& parts, const Limits& limits) {
  std::vector<Collected> collected;
  std::vector<RowRead> reads;
  std::vector<std::size_t> part_of;  // of each read
  for (std::size_t i = 0; i < parts.size(); ++i) {
    collected.emplace_back(*this, parts[i]).ask(directory_.tenant_name(parts[i].key.tenant), reads);
    part_of.resize(reads.size(), i);
  }
  VARVE_RETURN_IF_ERROR(rows_.read(
      reads, limits, [&](std::size_t number, const RowView& row) { return collected[part_of[number]].take(row); }));
  for (Collected& part : collected) part.apply_forgotten();
  for (Collected& part : collected) VARVE_RETURN_IF_ERROR(part.apply(limits));
  return {};
}

// Of a list that is not there the announcement was not finished: who finishes it announces with a new time.
Status Loader::add(TenantId tenant, const std::string& metric, model::Timestamp bucket, std::span<const Row> rows,
                   const Limits& limits) {
  VARVE_RETURN_IF_ERROR(load_lists(tenant, rows, limits));
  for (const Row& row : rows) {
    MetricList list;
    {
      const MutexLock lock(mutex_);
      const auto known = lists_.find({tenant, blob_of(row.list)});
      if (known == lists_.end()) continue;
      list = known->second;
    }
    VARVE_ASSIGN_OR_RETURN(const GroupList parsed, group_list(*list));
    VARVE_ASSIGN_OR_RETURN(auto tags, text_map_of(row.tags));
    VARVE_RETURN_IF_ERROR(model::normalize(tags));
    const FoundGroup found{row.hash, tags, parsed.metrics, row.seen_us, bucket, parsed.ttl_s};
    VARVE_RETURN_IF_ERROR(directory_.add(tenant, metric, found));
  }
  return {};
}

Status Loader::load_lists(TenantId tenant, std::span<const Row> rows, const Limits& limits) {
  std::set<std::string> unknown;
  {
    const MutexLock lock(mutex_);
    for (const Row& row : rows) {
      std::string blob = blob_of(row.list);
      if (!lists_.contains({tenant, blob})) unknown.insert(std::move(blob));
    }
  }
  if (unknown.empty()) return {};
  const std::vector<std::string> blobs(unknown.begin(), unknown.end());
  const std::string name = directory_.tenant_name(tenant);
  std::vector<RowRead> reads;
  for (const std::string& blob : blobs) reads.push_back({&tables_.metric_lists, {name, blob}, {}, {}, {"names"}});
  return rows_.read(reads, limits, [&](std::size_t number, const RowView& row) -> Status {
    VARVE_ASSIGN_OR_RETURN(const auto views, text_list_of(row.cells[0]));
    auto names = std::make_shared<std::vector<std::string>>(views.begin(), views.end());
    const MutexLock lock(mutex_);
    lists_[{tenant, blobs[number]}] = std::move(names);
    return {};
  });
}

Result<std::vector<std::optional<GroupId>>> Loader::groups(std::span<const Named> names, const Limits& limits) {
  std::vector<std::optional<GroupId>> out;
  std::vector<RowRead> reads;
  std::vector<Named> unknown;
  const model::Timestamp now = index_bucket_of(clock_.now_ms());
  for (const auto& [tenant, hash] : names) {
    out.push_back(directory_.find(tenant, hash, now));
    if (out.back()) continue;
    unknown.emplace_back(tenant, hash);
    reads.push_back(
        {&tables_.line_groups, {directory_.tenant_name(tenant), blob_of(hash)}, {}, {}, {"tags", "list_hash"}});
  }
  if (unknown.empty()) return out;
  std::map<TenantId, std::vector<Row>> rows;
  VARVE_RETURN_IF_ERROR(rows_.read(reads, limits, [&](std::size_t number, const RowView& row) -> Status {
    Row& found = rows[unknown[number].first].emplace_back();
    found.hash = unknown[number].second;
    found.tags = row.cells[0];
    return hash_of(row.cells[1], found.list) ? Status() : bad_hash(tables_.line_groups);
  }));
  for (const auto& [tenant, found] : rows) VARVE_RETURN_IF_ERROR(add(tenant, {}, now, found, limits));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!out[i]) out[i] = directory_.find(names[i].first, names[i].second, now);
  }
  return out;
}

}  // namespace varve::engine::cassandra
