// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/work_plan.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/check.h"
#include "engine/cassandra/tables/spans.h"
#include "engine/shared/declared_counter.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {

using index::SeriesIndex;
using model::GroupId;
using tracker::Due;

// Where two groups have a sample of a series at one time, it counts in the windows of the one whose samples live
// longer: what the other one has goes, and its windows with it.
bool WorkPlan::lives_longer(const GroupCells& one, const GroupCells& other) const {
  const auto stored_ms = [&](const GroupCells& group) {
    return shared::shorter_ms(sealed_.retention_of(group.kept), group.ttl_s);
  };
  if (stored_ms(one) != stored_ms(other)) return stored_ms(one) > stored_ms(other);
  return shared::brevity(one.ttl_s) < shared::brevity(other.ttl_s);
}

std::size_t WorkPlan::columns(const Due& due) const {
  return series_.directory().read([&](const SeriesIndex& index) { return index.group_series(group_of(due)).size(); });
}

GroupRetentions::Number WorkPlan::kept(const Due& due) const {
  const Directory& directory = series_.directory();
  return directory.read([&](const SeriesIndex& index) { return directory.kept(index, group_of(due)); });
}

void WorkPlan::sort_by_locality(std::vector<Due>& dues, std::int64_t together_ms) const {
  std::vector<GroupId> groups;
  for (const Due& due : dues) groups.push_back(group_of(due));
  const std::vector<GroupName> names = series_.directory().names(groups);
  check(names.size() == dues.size(), "each group has a name");
  std::vector<std::size_t> order(dues.size());
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&](std::size_t i) {
    const model::Timestamp time = model::window_start(dues[i].slot, together_ms);
    return std::tuple(names[i].tenant, time, names[i].hash.bytes, dues[i].slot);
  };
  std::ranges::sort(order, {}, place);
  std::vector<Due> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(dues[i]));
  dues = std::move(sorted);
}

SealWork WorkPlan::seal_work(const Due& due) {
  return {group_ref(series_.directory(), group_of(due)), due.slot, !sharing(group_of(due)).empty()};
}

WidenWork WorkPlan::widen_work(const Due& due) const {
  return {group_ref(series_.directory(), group_of(due)), due.slot};
}

// Places of the group's series that are not in it, or in a later column of it.
std::vector<WorkPlan::Sharing> WorkPlan::sharing(GroupId group) {
  std::vector<Sharing> out;
  const MutexLock lock(mutex_);
  // Under the lock above, which the analysis does not see here.
  series_.directory().read([&](const SeriesIndex& index) VARVE_NO_THREAD_ANALYSIS {
    shared_.catch_up(index);
    if (!shared_.contains(model::to_int(group))) return 0;
    const auto series = index.group_series(group);
    std::vector<index::Place> places;
    for (std::size_t column = 0; column < series.size(); ++column) {
      index.places(series[column], places);
      for (const index::Place& place : places) {
        if (place.group == group && place.column <= column) continue;
        out.push_back({static_cast<std::uint16_t>(column), place.group, place.column});
      }
    }
    return 0;
  });
  return out;
}

void WorkPlan::put_kinds(GroupId group, RollupBlockWork& work) const {
  series_.directory().read([&](const SeriesIndex& index) {
    const model::TenantId tenant = index.group_tenant(group);
    for (const model::SeriesId one : index.group_series(group)) {
      work.kinds.push_back(levels_.kind_of(index.metric(one)));
      work.counters.push_back(shared::declared_counter(levels_, index, tenant, one));
    }
    return 0;
  });
}

RollupBlockWork WorkPlan::rollup_block_work(const Due& due, bool elsewhere) {
  const GroupId group = group_of(due);
  RollupBlockWork work{group_ref(series_.directory(), group), {}, due.slot, {}};
  put_kinds(group, work);
  check(work.kinds.size() == work.group.columns, "each column has a kind");
  if (!elsewhere) return work;
  for (const Sharing& place : sharing(group)) {
    GroupRef there = group_ref(series_.directory(), place.group);
    if (lives_longer(work.group.cells, there.cells)) continue;
    // Of a series that stands twice in one group, the last column counts.
    const bool always = place.group == group || lives_longer(there.cells, work.group.cells);
    const bool first = there.cells.group < work.group.cells.group;
    work.elsewhere.push_back({place.column, std::move(there), place.column_there, first, always});
  }
  return work;
}

std::vector<WorkPlan::Place> WorkPlan::dependants(const Due& due) {
  const GroupId group = group_of(due);
  std::vector<Place> out = {{due.member, due.partition}};
  std::set<GroupId> seen = {group};
  const GroupCells own = group_ref(series_.directory(), group).cells;
  for (const Sharing& place : sharing(group)) {
    if (!seen.insert(place.group).second) continue;
    const GroupName there = series_.directory().name(place.group);
    if (there.tenant == model::kNoTenant) continue;  // it has just left: nothing is left of it
    if (lives_longer(group_ref(series_.directory(), place.group).cells, own)) continue;
    out.push_back({{there.tenant, model::to_int(place.group)}, there.partition});
  }
  return out;
}

bool WorkPlan::is_fresh(const IndexKey& key, std::int64_t now_ns) const {
  const auto at = read_ns_.find(key);
  return at != read_ns_.end() && now_ns - at->second < fresh_ms_ * 1'000'000;
}

Status WorkPlan::load_index(std::span<const Due> dues, std::int64_t width_ms, bool again) {
  check(width_ms > 0, "rows stand for a time");
  std::set<IndexKey> wanted;
  series_.directory().read([&](const SeriesIndex& index) {
    for (const Due& due : dues) {
      const model::Timestamp last = index_bucket_of(due.slot + width_ms - 1);
      for (const model::SeriesId one : index.group_series(group_of(due))) {
        for (auto bucket = index_bucket_of(due.slot); bucket <= last; bucket += kIndexBucketMs) {
          wanted.emplace(due.member.tenant, index.metric(one), bucket);
        }
      }
    }
    return 0;
  });
  const std::int64_t now_ns = clock_.steady_ns();
  if (!again) {
    const MutexLock lock(mutex_);
    std::erase_if(wanted, [&](const IndexKey& key) VARVE_NO_THREAD_ANALYSIS { return is_fresh(key, now_ns); });
  }
  for (auto at = wanted.begin(); at != wanted.end();) {  // successive buckets of a metric at once
    const auto& [tenant, metric, first] = *at;
    model::Timestamp end = first;
    for (; at != wanted.end() && *at == IndexKey(tenant, metric, end); ++at) end += kIndexBucketMs;
    VARVE_RETURN_IF_ERROR(series_.load(tenant, metric, {first, end}, {}));
    const MutexLock lock(mutex_);
    for (auto bucket = first; bucket < end; bucket += kIndexBucketMs) read_ns_[{tenant, metric, bucket}] = now_ns;
  }
  const MutexLock lock(mutex_);
  if (now_ns - cleared_ns_ >= fresh_ms_ * 1'000'000) {
    std::erase_if(read_ns_, [&](const auto& read) { return now_ns - read.second >= fresh_ms_ * 1'000'000; });
    cleared_ns_ = now_ns;
  }
  return {};
}

std::string WorkPlan::shown(const tracker::Member& member) const {
  return series_.directory().read([&](const SeriesIndex& index) {
    const auto series = index.group_series(GroupId{member.id});
    if (series.empty()) return std::string("a series that is gone");
    const model::SeriesId first = series[0];
    std::string text(index.metric(first));
    text += '{';
    for (const auto& [key, value] : index.tags(first)) {
      if (text.back() != '{') text += ',';
      text.append(key).append("=").append(value);
    }
    return text + '}';
  });
}

}  // namespace varve::engine::cassandra
