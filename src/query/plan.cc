// SPDX-License-Identifier: Apache-2.0
#include "query/plan.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "query/selection.h"

namespace varve::query {

namespace {

// Here, in a collector and in the answer; its names and tags are mostly shorter than 256 bytes.
constexpr std::size_t kGroupBytes = sizeof(PlannedGroup) + sizeof(Group) + 256;
// The same of a series that becomes a part of a group: there is none of its own in the answer.
constexpr std::size_t kJoinedBytes = sizeof(PlannedGroup) + 320;

// From group_of.
void put_members(Plan& plan) {
  std::vector<std::size_t> ends(plan.groups.size() + 1);
  for (const std::uint32_t g : plan.group_of) ++ends[g + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  plan.members.resize(plan.series.size());
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    plan.groups[g].members = std::span(plan.members).subspan(ends[g], ends[g + 1] - ends[g]);
  }
  for (std::uint32_t s = 0; s < plan.series.size(); ++s) plan.members[ends[plan.group_of[s]]++] = s;
}

void group(Plan& plan, const std::vector<std::string>& keys) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::string name;
  for (std::uint32_t s = 0; s < plan.series.size(); ++s) {
    name.clear();
    for (const std::string& key : keys) {
      const std::string_view value = plan.tags.value(s, key);
      name.append(std::to_string(value.size())).append(1, ':').append(value);
    }
    const auto [at, is_new] = numbers.try_emplace(name, static_cast<std::uint32_t>(plan.groups.size()));
    if (is_new) {
      auto& values = plan.groups.emplace_back().values;
      for (const std::string& key : keys) values.emplace_back(plan.tags.value(s, key));
    }
    plan.group_of.push_back(at->second);
  }
  put_members(plan);
}

std::vector<std::uint32_t> order_of(const std::vector<PlannedGroup>& groups) {
  std::vector<std::string> names;
  for (const PlannedGroup& g : groups) {
    names.push_back(std::accumulate(g.values.begin(), g.values.end(), std::string()));
  }
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return names[a] != names[b] ? names[a] < names[b] : groups[a].values < groups[b].values;
  });
  return order;
}

void group_each(Plan& plan) {
  plan.group_of.resize(plan.series.size());
  std::iota(plan.group_of.begin(), plan.group_of.end(), 0U);
  plan.order = plan.group_of;
  plan.groups.resize(plan.series.size());
  put_members(plan);
  std::ranges::sort(plan.order, [&](std::uint32_t a, std::uint32_t b) { return plan.tags.before(a, b); });
}

}  // namespace

Result<Plan> make_plan(const storage::SeriesStore& store, model::TenantId tenant, const MetricQuery& query,
                       const Pipeline& pipeline, model::TimeRange seen, const Deadline& deadline, Budget& budget) {
  Plan plan;
  VARVE_ASSIGN_OR_RETURN(Selection selected, select(store, tenant, query, seen, deadline, budget));
  plan.series = std::move(selected.series);
  if (plan.series.empty()) return plan;
  for (const aggregate::Step& step : pipeline.stages) VARVE_RETURN_IF_ERROR(aggregate::check(step));
  for (const aggregate::Split& split : pipeline.splits) {
    const auto* by_time = std::get_if<aggregate::TimeSplit>(&split);
    if (by_time != nullptr && by_time->size.value <= 0) {
      return fail(Code::invalid, "range_size.value must be greater than 0");
    }
  }
  constexpr std::size_t kSeriesBytes = 3 * sizeof(std::uint32_t) + sizeof(std::vector<int>);  // here and in a collector
  VARVE_RETURN_IF_ERROR(budget.charge(plan.series.size() * kSeriesBytes));
  VARVE_ASSIGN_OR_RETURN(plan.tags, TagTable::read(store, tenant, plan.series, selected.metrics, budget));
  if (std::holds_alternative<EachSeries>(pipeline.group_by)) {
    // Before they are made: there are as many as series.
    const auto* how = std::get_if<Join>(&query.how);
    const bool are_joined = how != nullptr && how->reducer != aggregate::Reducer::none;
    VARVE_RETURN_IF_ERROR(budget.charge(plan.series.size() * (are_joined ? kJoinedBytes : kGroupBytes)));
    group_each(plan);
    return plan;
  }
  group(plan, pipeline.keys());
  VARVE_RETURN_IF_ERROR(budget.charge(plan.groups.size() * kGroupBytes));
  plan.order = order_of(plan.groups);
  return plan;
}

Group without_points(const Plan& plan, std::uint32_t group, model::ValueKind kind,
                     std::span<const std::uint32_t> seen) {
  Group out;
  out.group_values = plan.groups[group].values;
  out.kind = kind;
  out.tags = plan.tags.merged(seen);
  return out;
}

}  // namespace varve::query
