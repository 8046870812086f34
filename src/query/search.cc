// SPDX-License-Identifier: Apache-2.0
#include "query/search.h"

namespace varve::query {

namespace {

Status find(const Engine& engine, const Search& wanted, const RunningQueries::Ticket& ticket,
            const FoundMetric& found) {
  const storage::SeriesStore& store = engine.series();
  VARVE_TRY(const auto tenant, store.find_tenant(wanted.tenant));
  if (!tenant) return index::check_matchers(wanted.matchers);
  const std::int64_t deadline_ns =
      engine.clock().steady_ns() + std::chrono::nanoseconds(engine.limits().timeout).count();
  VARVE_TRY(const auto metrics, store.metric_names(*tenant, "", 0));
  for (const std::string& metric : metrics) {
    if (wanted.metric && !wanted.metric(metric)) continue;
    if (ticket.cancelled()->load(std::memory_order_relaxed)) return fail(Code::cancelled, "the query was cancelled");
    if (engine.clock().steady_ns() > deadline_ns) {
      return fail(Code::timeout, "the search took longer than query.timeout (" +
                                     std::to_string(engine.limits().timeout.count()) + " ms)");
    }
    VARVE_TRY(const auto series, store.select(*tenant, metric, wanted.matchers));
    if (!series.empty()) VARVE_CHECK_OK(found(*tenant, metric, series));
  }
  return {};
}

}  // namespace

Status search(const Engine& engine, const Search& wanted, std::atomic<bool>* cancelled, const Budget& budget,
              const FoundMetric& found) {
  Request request;
  request.tenant = wanted.tenant;
  request.api = wanted.api;
  request.text = wanted.text;
  const RunningQueries::Ticket ticket(engine.running(), request, budget, engine.clock(), cancelled);
  return ticket.explain(find(engine, wanted, ticket, found));
}

Result<std::vector<std::string>> metrics_with(const Engine& engine, const Search& wanted,
                                              std::atomic<bool>* cancelled) {
  std::vector<std::string> names;
  Budget budget(engine.limits().memory_bytes);
  const auto add = [&](model::TenantId, const std::string& metric, std::span<const model::SeriesId>) -> Status {
    VARVE_CHECK_OK(budget.charge(metric.size() + sizeof metric));
    names.push_back(metric);
    return {};
  };
  VARVE_CHECK_OK(search(engine, wanted, cancelled, budget, add));
  return names;
}

}  // namespace varve::query
