// SPDX-License-Identifier: Apache-2.0
// KairosDB's deletes: a metric over all time, or what a query would read.
#include "http/deletes.h"
#include "http/kairosdb_parts.h"
#include "protocol/kairosdb/query.h"

namespace varve::http {

namespace {

namespace kairosdb = protocol::kairosdb;

constexpr std::string_view kMetricPath = "/api/v1/metric/";
constexpr const char* kKairosdbApi = "kairosdb";

Result<std::vector<Selection>> selections_of(const DeleteContext& context, const Request& request) {
  std::vector<Selection> out;
  if (request.method == Method::delete_) {
    out.push_back({request.tenant, request.path.substr(kMetricPath.size()), {}, {}});
    return out;
  }
  if (request.body.empty()) return fail(Code::invalid, "query json must not be null or empty");
  VARVE_TRY(const auto query, kairosdb::parse_query(request.body, context.engine.clock().now_ms()));
  for (const auto& metric : query.metrics) {
    Selection selection{request.tenant, metric.name, {}, query.range};
    for (const auto& filter : metric.tags) VARVE_CHECK_OK(add_matchers(selection.matchers, filter));
    out.push_back(std::move(selection));
  }
  return out;
}

Response run_kairosdb_delete(const DeleteContext& context, const Request& request) {
  const auto selections = selections_of(context, request);
  if (!selections) return kairosdb_error(selections.error());
  for (const Selection& selection : *selections) {
    const auto status = erase_selection(context, selection, kKairosdbApi, request.path, request.gone.get());
    if (!status) return kairosdb_error(status.error());
  }
  return kairosdb_response(204);
}

}  // namespace

void add_kairosdb_delete(Router& router, const DeleteContext& context) {
  const Handler handler = [context](const Request& request, const Responder& respond) {
    if (request.tenant.empty()) return respond(kairosdb_error({Code::invalid, "the request names no tenant"}));
    // The responder keeps the request.
    const bool taken =
        context.pool.post([context, &request, respond] { respond(run_kairosdb_delete(context, request)); });
    if (!taken) respond(kairosdb_error({Code::unavailable, "too many deletes are waiting"}));
  };
  router.add(Method::delete_, std::string(kMetricPath) + "{name}", handler, Effect::deletes);
  router.add(Method::post, "/api/v1/datapoints/delete", handler, Effect::deletes);
}

}  // namespace varve::http
