// SPDX-License-Identifier: Apache-2.0
#include "query/selection.h"

#include <algorithm>
#include <utility>

#include "base/regex.h"
#include "base/sort_unique.h"
#include "index/value_condition.h"

namespace varve::query {
namespace {

using index::Matcher;

// Names that may fit: all but where a matcher lists them, or tells how they begin.
Result<std::vector<std::string>> candidates(const storage::SeriesStore& store, model::TenantId tenant,
                                            const index::Matchers& names) {
  std::string_view prefix;
  for (const Matcher& matcher : names) {
    if (matcher.kind == Matcher::Kind::any_of) {
      std::vector<std::string> listed = matcher.values;
      sort_unique(listed);
      return listed;
    }
    if (matcher.kind == Matcher::Kind::prefix && !matcher.values.empty()) prefix = matcher.values[0];
  }
  return store.metric_names(tenant, {.prefix = prefix});
}

}  // namespace

Status for_each_metric(const storage::SeriesStore& store, model::TenantId tenant, const MetricName& metric,
                       const index::Matchers& matchers, model::TimeRange seen, const Deadline& deadline,
                       const FoundSeries& found) {
  if (const auto* name = std::get_if<std::string>(&metric)) {
    VARVE_ASSIGN_OR_RETURN(const auto series, store.select(tenant, *name, matchers, seen, still_wanted(deadline)));
    return series.empty() ? Status() : found(*name, series);
  }
  const auto& names = std::get<index::Matchers>(metric);
  std::vector<index::ValueCondition> conditions;
  for (const Matcher& matcher : names) {
    VARVE_ASSIGN_OR_RETURN(auto condition, index::ValueCondition::make(matcher));
    conditions.push_back(std::move(condition));
  }
  VARVE_RETURN_IF_ERROR(index::check_matchers(matchers));
  const RegexMeter meter([&] { return deadline.check(); });
  VARVE_ASSIGN_OR_RETURN(const auto listed, candidates(store, tenant, names));
  for (const std::string& name : listed) {
    VARVE_RETURN_IF_ERROR(deadline.check());
    const bool fits = std::ranges::all_of(conditions, [&](const auto& condition) { return condition.fits(name); });
    VARVE_RETURN_IF_ERROR(meter.status());
    if (!fits) continue;
    VARVE_ASSIGN_OR_RETURN(const auto series, store.select(tenant, name, matchers, seen, still_wanted(deadline)));
    if (!series.empty()) VARVE_RETURN_IF_ERROR(found(name, series));
  }
  return {};
}

Result<Selection> select(const storage::SeriesStore& store, model::TenantId tenant, const MetricQuery& query,
                         model::TimeRange seen, const Deadline& deadline, Budget& budget) {
  Selection out;
  if (const auto* name = std::get_if<std::string>(&query.metric)) {
    VARVE_ASSIGN_OR_RETURN(out.series, store.select(tenant, *name, query.matchers, seen, still_wanted(deadline)));
    return out;
  }
  std::vector<std::pair<model::SeriesId, std::uint32_t>> found;
  const auto add = [&](const std::string& name, std::span<const model::SeriesId> series) -> Status {
    VARVE_RETURN_IF_ERROR(budget.charge(series.size() * sizeof found[0] + sizeof name + name.size()));
    const auto number = static_cast<std::uint32_t>(out.metrics.names.size());
    for (const model::SeriesId id : series) found.emplace_back(id, number);
    out.metrics.names.push_back(name);
    return {};
  };
  VARVE_RETURN_IF_ERROR(for_each_metric(store, tenant, query.metric, query.matchers, seen, deadline, add));
  std::ranges::sort(found, {}, [](const auto& one) { return model::to_int(one.first); });
  for (const auto& [id, number] : found) {
    out.series.push_back(id);
    out.metrics.name_of.push_back(number);
  }
  return out;
}

}  // namespace varve::query
