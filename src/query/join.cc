// SPDX-License-Identifier: Apache-2.0
#include "query/join.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "aggregate/across.h"
#include "aggregate/fill.h"
#include "aggregate/windows.h"

namespace varve::query {

namespace {

using aggregate::Points;
using aggregate::Reducer;
using aggregate::Windows;

constexpr std::size_t kPointBytes = sizeof(model::Timestamp) + sizeof(std::uint64_t) + sizeof(model::ValueType);

// The tags of one series have one value each.
std::string_view value_of(const Group& series, std::string_view key) {
  const auto at =
      std::ranges::lower_bound(series.tags, key, {}, [](const auto& t) { return std::string_view(t.first); });
  return at == series.tags.end() || at->first != key ? std::string_view() : std::string_view(at->second.front());
}

// Points at times that are not multiples of the resolution, or would come to share one.
bool finer_than(const Points& points, std::int64_t resolution_ms) {
  return resolution_ms > 1 && std::ranges::any_of(points.times, [&](auto t) { return t % resolution_ms != 0; });
}

Result<Points> prepare(const Join& how, model::TimeRange range, Points points, Budget& budget) {
  if (const auto& into = how.downsample) {
    const Windows windows = aggregate::windows_of(into->grid(), range.first);
    if (into->gather) points = aggregate::gather(*into->gather, windows, points);
    if (into->fill != Join::Fill::none) {
      VARVE_RETURN_IF_ERROR(budget.charge(aggregate::windows_in(windows, range) * kPointBytes));
      points = aggregate::fill(windows, range, into->fill == Join::Fill::zero, points);
    }
  }
  if (finer_than(points, how.resolution_ms)) {
    const Windows cut({how.resolution_ms, model::TimeUnit::milliseconds}, false, 0);
    const Reducer reducer = how.reducer == Reducer::none || how.reducer == Reducer::count ? Reducer::last : how.reducer;
    points = aggregate::gather(reducer, cut, points);
  }
  if (how.rate) points = aggregate::rate(*how.rate, points);
  return points;
}

// Tags that all have with the same value; and keys that all have, but not with the same value.
void put_tags(std::span<const Group> members, Group& out) {
  for (const auto& [key, values] : members[0].tags) {
    bool everywhere = true;
    bool same = true;
    for (const Group& member : members) {
      const std::string_view value = value_of(member, key);
      everywhere &= !value.empty();
      same &= value == values[0];
    }
    if (!everywhere) continue;
    if (same) {
      out.common.emplace_back(key, values[0]);
    } else {
      out.mixed.push_back(key);
    }
  }
}

}  // namespace

Result<MetricAnswer> join(const Join& how, model::TimeRange range, MetricAnswer series, Budget& budget,
                          const std::function<Status()>& alive) {
  MetricAnswer out;
  out.sample_size = series.sample_size;
  std::map<std::vector<std::string>, std::vector<Group>> groups;
  for (Group& one : series.groups) {
    if (one.kind != model::ValueKind::number) continue;
    VARVE_RETURN_IF_ERROR(alive());
    VARVE_ASSIGN_OR_RETURN(one.points, prepare(how, range, std::move(one.points), budget));
    std::vector<std::string> values;
    values.reserve(how.group_by.size());
    for (const std::string& key : how.group_by) values.emplace_back(value_of(one, key));
    one.group_values = values;
    if (how.reducer != Reducer::none) {
      groups[std::move(values)].push_back(std::move(one));
      continue;
    }
    put_tags({&one, 1}, out.groups.emplace_back());
    out.groups.back().group_values = std::move(values);
    out.groups.back().points = std::move(one.points);
  }
  for (auto& [values, members] : groups) {
    Group& group = out.groups.emplace_back();
    group.group_values = values;
    put_tags(members, group);
    if (members.size() == 1 && how.reducer != Reducer::count && how.reducer != Reducer::dev) {
      group.points = std::move(members[0].points);
      continue;
    }
    std::vector<Points> points;
    std::size_t total = 0;
    for (Group& member : members) {
      total += member.points.size();
      points.push_back(std::move(member.points));
    }
    members.clear();
    VARVE_RETURN_IF_ERROR(budget.charge(total * kPointBytes));  // the most that it can become
    VARVE_ASSIGN_OR_RETURN(group.points, aggregate::across(how.reducer, points, alive));
    budget.release((total - std::min(total, group.points.size())) * kPointBytes);
  }
  return out;
}

}  // namespace varve::query
