// SPDX-License-Identifier: Apache-2.0
#include "api/shared/deletes.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "model/tenant.h"
#include "query/search.h"

namespace varve::api {

namespace {

// Of every metric, those that fit.
Result<std::vector<model::SeriesId>> find(const DeleteContext& context, model::TenantId tenant,
                                          const Selection& selection, query::UnderWay& query) {
  if (selection.metric) {
    return context.series.select(tenant, *selection.metric, selection.matchers, {},
                                 query::still_wanted(query.deadline()));
  }
  std::vector<model::SeriesId> all;
  query::Search search;
  search.tenant = selection.tenant;
  search.matchers = selection.matchers;
  const auto add = [&](model::TenantId, const std::string&, std::span<const model::SeriesId> series) -> Status {
    all.insert(all.end(), series.begin(), series.end());
    return query.budget().charge(series.size_bytes());
  };
  VARVE_RETURN_IF_ERROR(query::search(context.engine, search, query, add));
  return all;
}

}  // namespace

Status erase_selection(const DeleteContext& context, const Selection& selection, const std::string& api,
                       const std::string& text, std::atomic<bool>* gone) {
  context.metrics.counter("varve_deletes_total", "Deletes asked, by API.", {{"api", api}}).add();
  check(!selection.tenant.empty(), "a delete is of a tenant");
  VARVE_RETURN_IF_ERROR(model::check_writable(selection.tenant));
  VARVE_ASSIGN_OR_RETURN(const auto tenant, context.series.find_tenant(selection.tenant));
  if (!tenant) return {};
  // In the list of what runs until it has ended; killing it sets `gone`.
  const query::Request shown = query::shown_as(selection.tenant, api, text.substr(0, query::kQueryTextMax));
  VARVE_ASSIGN_OR_RETURN(const auto query, query::UnderWay::begin(context.engine, shown, gone));
  VARVE_ASSIGN_OR_RETURN(const auto series, query->explain(find(context, *tenant, selection, *query)));
  VARVE_ASSIGN_OR_RETURN(const auto report,
                         query->explain(context.samples.erase(*tenant, series, selection.range, gone)));
  context.metrics.counter("varve_samples_deleted_total", "Samples that deletes have erased, about.")
      .add(report.samples);
  if (!selection.range.empty()) context.series.forget_empty(*tenant, series);
  return {};
}

}  // namespace varve::api
