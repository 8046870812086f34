// SPDX-License-Identifier: Apache-2.0
#include "query/search.h"

#include "query/selection.h"

namespace varve::query {

namespace {

Status find(const Engine& engine, const Search& wanted, const UnderWay& query, const FoundMetric& found) {
  const storage::SeriesStore& store = engine.series();
  VARVE_ASSIGN_OR_RETURN(const auto tenant, store.find_tenant(wanted.tenant));
  if (!tenant) return index::check_matchers(wanted.matchers);
  return for_each_metric(
      store, *tenant, wanted.metric, wanted.matchers, {}, query.deadline(),
      [&](const std::string& metric, std::span<const model::SeriesId> s) { return found(*tenant, metric, s); });
}

}  // namespace

Status search(const Engine& engine, const Search& wanted, UnderWay& query, const FoundMetric& found) {
  return query.explain(find(engine, wanted, query, found));
}

Result<std::vector<std::string>> metrics_with(const Engine& engine, const Search& wanted, UnderWay& query) {
  std::vector<std::string> names;
  const auto add = [&](model::TenantId, const std::string& metric, std::span<const model::SeriesId>) -> Status {
    VARVE_RETURN_IF_ERROR(query.budget().charge(metric.size() + sizeof metric));
    names.push_back(metric);
    return {};
  };
  VARVE_RETURN_IF_ERROR(search(engine, wanted, query, add));
  return names;
}

}  // namespace varve::query
