// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/works.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/check.h"
#include "engine/cassandra/tables/spans.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {

using index::SeriesIndex;
using model::GroupId;
using tracker::Due;

namespace {

// Where two groups have a sample of a series at one time, is it counted in the windows of the second one? Of the one
// whose samples live longer: what the other one has goes, and its windows with it.
bool counts_after(const GroupCells& one, const GroupCells& other) {
  const auto order = [](const GroupCells& group) {
    return std::tuple(shared::brevity(group.ttl_s), std::string_view(group.group));
  };
  return order(one) > order(other);
}

}  // namespace

std::size_t Works::columns(const Due& due) const {
  return series_.directory().read([&](const SeriesIndex& index) { return index.group_series(group_of(due)).size(); });
}

void Works::put_together(std::vector<Due>& works) const {
  std::vector<GroupId> groups;
  for (const Due& due : works) groups.push_back(group_of(due));
  const std::vector<GroupName> names = series_.directory().names(groups);
  check(names.size() == works.size(), "each group has a name");
  std::vector<std::size_t> order(works.size());
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&](std::size_t i) { return std::tuple(names[i].tenant, works[i].slot, names[i].hash.bytes); };
  std::ranges::sort(order, {}, place);
  std::vector<Due> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(works[i]));
  works = std::move(sorted);
}

SealWork Works::seal(const Due& due) {
  return {group_ref(series_.directory(), group_of(due)), due.slot, !sharing(group_of(due)).empty()};
}

// Places of the group's series that are not in it, or in a later column of it.
std::vector<Works::Sharing> Works::sharing(GroupId group) {
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

std::vector<rollup::Kind> Works::kinds(GroupId group) const {
  return series_.directory().read([&](const SeriesIndex& index) {
    std::vector<rollup::Kind> list;
    for (const model::SeriesId one : index.group_series(group)) list.push_back(levels_.kind_of(index.metric(one)));
    return list;
  });
}

UnitWork Works::unit(const Due& due, bool elsewhere) {
  const GroupId group = group_of(due);
  UnitWork work{group_ref(series_.directory(), group), kinds(group), due.slot, {}};
  check(work.kinds.size() == work.group.columns, "each column has a kind");
  if (!elsewhere) return work;
  for (const Sharing& place : sharing(group)) {
    GroupRef there = group_ref(series_.directory(), place.group);
    // Of a series that stands twice in one group, the last column counts.
    if (place.group != group && counts_after(there.cells, work.group.cells)) continue;
    work.elsewhere.push_back({place.column, std::move(there), place.column_there});
  }
  return work;
}

std::vector<Works::Place> Works::concerned(const Due& due) {
  const GroupId group = group_of(due);
  std::vector<Place> out = {{due.member, due.partition}};
  std::set<GroupId> seen = {group};
  const GroupCells own = group_ref(series_.directory(), group).cells;
  for (const Sharing& place : sharing(group)) {
    if (!seen.insert(place.group).second) continue;
    const GroupName there = series_.directory().name(place.group);
    if (!counts_after(group_ref(series_.directory(), place.group).cells, own)) continue;
    out.push_back({{there.tenant, model::to_int(place.group)}, there.partition});
  }
  return out;
}

Status Works::know(std::span<const Due> works, model::TimeRange range, bool again) {
  std::set<std::pair<model::TenantId, std::string>> metrics;
  series_.directory().read([&](const SeriesIndex& index) {
    for (const Due& due : works) {
      for (const model::SeriesId one : index.group_series(group_of(due))) {
        metrics.emplace(due.member.tenant, index.metric(one));
      }
    }
    return 0;
  });
  const model::Timestamp first = period_of(range.first), last = period_of(range.last - 1);
  const std::int64_t now_ns = clock_.steady_ns();
  const auto is_known = [&](model::TenantId tenant, const std::string& metric) {
    const MutexLock lock(mutex_);
    for (model::Timestamp period = first; period <= last; period += kPeriodMs) {
      const auto known = known_ns_.find({tenant, metric, period});
      if (known == known_ns_.end() || now_ns - known->second >= fresh_ms_ * 1'000'000) return false;
    }
    return true;
  };
  for (const auto& [tenant, metric] : metrics) {
    if (!again && is_known(tenant, metric)) continue;
    VARVE_RETURN_IF_ERROR(series_.load(tenant, metric, range, {}));
    const MutexLock lock(mutex_);
    for (model::Timestamp period = first; period <= last; period += kPeriodMs) {
      known_ns_[{tenant, metric, period}] = now_ns;
    }
  }
  const MutexLock lock(mutex_);
  if (now_ns - cleared_ns_ >= fresh_ms_ * 1'000'000) {
    std::erase_if(known_ns_, [&](const auto& known) { return now_ns - known.second >= fresh_ms_ * 1'000'000; });
    cleared_ns_ = now_ns;
  }
  return {};
}

std::string Works::shown(const tracker::Member& member) const {
  return series_.directory().read([&](const SeriesIndex& index) {
    const model::SeriesId first = index.group_series(GroupId{member.id})[0];
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
