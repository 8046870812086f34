// SPDX-License-Identifier: Apache-2.0
// Engine: which tags the series have that were seen in a range.
#include "model/time.h"
#include "query/deadline.h"
#include "query/engine.h"
#include "query/plan.h"
#include "query/seen.h"
#include "query/under_way.h"

namespace varve::query {
Result<Engine::Tags> Engine::tags(const Request& request, std::atomic<bool>* cancelled) const {
  VARVE_RETURN_IF_ERROR(check_metrics(request, limits_.metrics_max));
  VARVE_ASSIGN_OR_RETURN(auto query, UnderWay::begin(*this, request, cancelled));
  VARVE_ASSIGN_OR_RETURN(auto tags, query->explain(seen_tags(request, *query)));
  return Tags{std::move(tags), std::move(query)};
}

// Charged twice: the text of the answer is made of them.
Result<std::vector<TagUnion>> Engine::seen_tags(const Request& request, UnderWay& under_way) const {
  std::vector<TagUnion> out(request.metrics.size());
  VARVE_ASSIGN_OR_RETURN(const auto tenant, series_.find_tenant(request.tenant));
  if (!tenant) {
    VARVE_RETURN_IF_ERROR(check_matchers(request));
    return out;
  }
  const Deadline& deadline = under_way.deadline();
  // Every series has a sample somewhere, and this is how user interfaces ask what tags there are.
  const bool whole_time = request.range.first <= 0 && request.range.last > clock_.now_ms();
  for (std::size_t m = 0; m < request.metrics.size(); ++m) {
    MetricQuery query;
    query.metric = request.metrics[m].metric;
    query.matchers = request.metrics[m].matchers;
    const model::TimeRange seen_in = whole_time ? model::TimeRange() : request.range;
    VARVE_ASSIGN_OR_RETURN(const Plan plan,
                           make_plan(series_, *tenant, query, query.pipeline(), seen_in, deadline, under_way.budget()));
    VARVE_RETURN_IF_ERROR(deadline.check());
    if (whole_time) {
      out[m] = plan.tags.merged(plan.groups.empty() ? std::span<const std::uint32_t>() : plan.groups[0].members);
      VARVE_RETURN_IF_ERROR(under_way.budget().charge(2 * out[m].bytes()));
      continue;
    }
    under_way.ticket().count().series(plan.series.size());
    std::vector<std::uint32_t> seen;
    const auto add = [&](std::size_t i, const storage::SeriesStats&) { seen.push_back(static_cast<std::uint32_t>(i)); };
    VARVE_RETURN_IF_ERROR(for_each_seen(series_, *tenant, plan.series, request.range, deadline, add));
    out[m] = plan.tags.merged(seen);
    VARVE_RETURN_IF_ERROR(under_way.budget().charge(2 * out[m].bytes()));
  }
  return out;
}

}  // namespace varve::query
