// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/series/loader.h"

#include <algorithm>
#include <set>

#include "base/sort_unique.h"
#include "engine/cassandra/tables/cell.h"
#include "model/time_ranges.h"

namespace varve::engine::cassandra {

using model::TenantId;

namespace {

// So many index buckets are read without asking first which of them there are.
constexpr std::int64_t kBucketsAtOnce = 2;

// Without Redis nobody hears of what was forgotten; then it is looked up that often.
constexpr std::int64_t kListenAloneNs = 600'000'000'000;

}  // namespace

Result<std::optional<TenantId>> Loader::find_tenant(std::string_view name, const Limits& limits) {
  if (const auto known = directory_.find_tenant(name)) return known;
  const std::string first(name);
  const RowRead read{&tables_.tenants, {smallint_cell(shard_of(name))}, first, first + '\0', {}};
  bool found = false;
  VARVE_RETURN_IF_ERROR(rows_.read({&read, 1}, limits, [&](std::size_t, const RowView&) -> Status {
    found = true;
    return {};
  }));
  if (!found) return std::nullopt;
  return directory_.tenant(name);
}

Result<std::vector<std::string>> Loader::tenants(const Limits& limits) {
  std::vector<std::string> names = directory_.read([](const index::SeriesIndex& index) { return index.tenants(); });
  std::vector<RowRead> reads;
  for (std::int16_t shard = 0; shard < kShards; ++shard)
    reads.push_back({&tables_.tenants, {smallint_cell(shard)}, {}, {}, {}});
  VARVE_RETURN_IF_ERROR(rows_.read(reads, limits, [&](std::size_t, const RowView& row) -> Status {
    names.emplace_back(row.cells[0]);
    return {};
  }));
  sort_unique(names);
  return names;
}

// --- numbers

void Loader::note(TenantId tenant, const tracker::redis::TenantVersions& versions) {
  const MutexLock lock(mutex_);
  Tenant& of = tenants_[tenant];
  for (const auto& [metric, number] : versions.forgotten) {
    std::uint64_t& known = of.forgotten[metric];
    known = std::max(known, number);
    of.since = std::max(of.since, number);
  }
}

Result<Loader::Asked> Loader::ask(TenantId tenant) {
  const Asked alone{{.since = parts_.readings()}, {}};
  VARVE_ASSIGN_OR_RETURN(const bool missing, missing_());
  const std::string name = directory_.tenant_name(tenant);
  tracker::redis::VersionsAsked question{name, 0};
  {
    const MutexLock lock(mutex_);
    question.forgotten_since = tenants_[tenant].since;
  }
  auto answer = versions_.ask({&question, 1});
  if (!answer) return alone;
  note(tenant, (*answer)[0]);
  if (missing) return alone;
  return Asked{{.asked = true, .epoch = (*answer)[0].epoch}, std::move((*answer)[0])};
}

PartWanted Loader::forgotten_part(TenantId tenant, const std::string& metric) {
  const MutexLock lock(mutex_);
  const auto& numbers = tenants_[tenant].forgotten;
  const auto number = numbers.find(metric);
  return {{PartKind::forgotten, tenant, metric, 0}, number == numbers.end() ? 0 : number->second};
}

Status Loader::ensure(const std::vector<PartWanted>& wanted, const Parts::Trust& trust, const Limits& limits) {
  return parts_.ensure(wanted, trust, limits, [&](const std::vector<PartRead>& parts) { return read(parts, limits); });
}

// --- questions

Result<std::vector<std::string>> Loader::metric_names(TenantId tenant, const Limits& limits) {
  VARVE_ASSIGN_OR_RETURN(const Asked asked, ask(tenant));
  std::uint64_t number = asked.versions.names;
  {
    const MutexLock lock(mutex_);
    number = std::max(number, tenants_[tenant].since);
  }
  VARVE_RETURN_IF_ERROR(ensure({{{PartKind::names, tenant, {}, 0}, number}}, asked.trust, limits));
  const MutexLock lock(mutex_);
  return tenants_[tenant].names;
}

Result<std::vector<model::Timestamp>> Loader::buckets(const Asked& asked, TenantId tenant, const std::string& metric,
                                                      model::TimeRange range, const Limits& limits) {
  std::vector<model::Timestamp> list;
  range = model::both(range, model::TimeRange());  // far beyond it their number would be no number
  if (range.empty()) return list;
  const model::Timestamp first = index_bucket_of(range.first), last = index_bucket_of(range.last - 1);
  if ((last - first) / kIndexBucketMs < kBucketsAtOnce) {
    for (model::Timestamp bucket = first; bucket <= last; bucket += kIndexBucketMs) list.push_back(bucket);
    return list;
  }
  VARVE_RETURN_IF_ERROR(
      ensure({{{PartKind::windows, tenant, metric, 0}, asked.versions.latest()}}, asked.trust, limits));
  const MutexLock lock(mutex_);
  for (const model::Timestamp bucket : windows_[{tenant, metric}]) {
    if (bucket >= first && bucket <= last) list.push_back(bucket);
  }
  return list;
}

Result<std::vector<model::Timestamp>> Loader::series(TenantId tenant, const std::string& metric, model::TimeRange range,
                                                     const Limits& limits) {
  if (range.empty()) return std::vector<model::Timestamp>{};
  VARVE_ASSIGN_OR_RETURN(const Asked asked, ask(tenant));
  VARVE_RETURN_IF_ERROR(ensure({forgotten_part(tenant, metric)}, asked.trust, limits));
  VARVE_ASSIGN_OR_RETURN(auto list, buckets(asked, tenant, metric, range, limits));
  std::vector<PartWanted> wanted;
  for (const model::Timestamp bucket : list) {
    wanted.push_back({{PartKind::series, tenant, metric, bucket}, asked.versions.of(bucket)});
  }
  VARVE_RETURN_IF_ERROR(ensure(wanted, asked.trust, limits));
  return list;
}

Result<model::Timestamp> Loader::latest_bucket(TenantId tenant, const std::string& metric, const Limits& limits) {
  VARVE_ASSIGN_OR_RETURN(const Asked asked, ask(tenant));
  VARVE_ASSIGN_OR_RETURN(const auto list, buckets(asked, tenant, metric, {}, limits));
  return list.empty() ? model::kTimestampMin : std::ranges::max(list);
}

Status Loader::forgotten(TenantId tenant, std::span<const std::string> metrics, const Limits& limits) {
  VARVE_ASSIGN_OR_RETURN(const Asked asked, ask(tenant));
  std::vector<PartWanted> wanted;
  for (const std::string& metric : metrics) wanted.push_back(forgotten_part(tenant, metric));
  return ensure(wanted, asked.trust, limits);
}

// --- listening

Status Loader::listen() {
  const std::vector<TenantId> tenants = directory_.announced_tenants();
  std::vector<std::string> names;
  for (const TenantId tenant : tenants) names.push_back(directory_.tenant_name(tenant));
  std::vector<tracker::redis::VersionsAsked> asked;
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    const MutexLock lock(mutex_);
    asked.push_back({names[i], tenants_[tenants[i]].since});
  }
  if (asked.empty()) return {};
  const auto answer = versions_.ask(asked);
  if (!answer) {
    for (const TenantId tenant : tenants) VARVE_RETURN_IF_ERROR(listen_to(tenant, {.alone_ns = kListenAloneNs}, true));
    return fail(answer.error());
  }
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    const auto& versions = (*answer)[i];
    note(tenants[i], versions);
    bool all = false;
    {
      const MutexLock lock(mutex_);
      all = tenants_[tenants[i]].heard && tenants_[tenants[i]].heard_epoch != versions.epoch;
    }
    VARVE_RETURN_IF_ERROR(listen_to(tenants[i], {.asked = true, .epoch = versions.epoch, .good_ns = INT64_MAX}, all));
    const MutexLock lock(mutex_);
    tenants_[tenants[i]].heard = true;
    tenants_[tenants[i]].heard_epoch = versions.epoch;
  }
  return {};
}

// All metrics that may have been announced, or those whose numbers have moved.
Status Loader::listen_to(TenantId tenant, const Parts::Trust& trust, bool all) {
  std::vector<std::string> metrics;
  if (all) {
    metrics = directory_.read([&](const index::SeriesIndex& index) { return index.metric_names(tenant, {}); });
  } else {
    const MutexLock lock(mutex_);
    for (const auto& [metric, number] : tenants_[tenant].forgotten) metrics.push_back(metric);
  }
  std::vector<PartWanted> wanted;
  for (const std::string& metric : metrics) wanted.push_back(forgotten_part(tenant, metric));
  return ensure(wanted, trust, {});
}

}  // namespace varve::engine::cassandra
