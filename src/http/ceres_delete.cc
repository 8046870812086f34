// SPDX-License-Identifier: Apache-2.0
// Ceres' deletes: of the tenant, of a metric (by tags), of a metric group; over all time or a range. docs/ceres.md.
#include "http/ceres_error.h"
#include "http/ceres_handlers.h"
#include "http/deletes.h"
#include "protocol/ceres/delete.h"

namespace varve::http {

namespace {

namespace ceres = protocol::ceres;
using Kind = index::Matcher::Kind;

constexpr std::string_view kCeresMetricPath = "/api/metric";
constexpr std::string_view kNamePath = "/api/metric/metricName/";
constexpr std::string_view kGroupPath = "/api/metric/metricGroup/";
constexpr const char* kCeresApi = "ceres";

Result<Selection> selection_of(const DeleteContext& context, const Request& request) {
  const bool by_name = request.path.starts_with(kNamePath);
  const bool by_group = request.path.starts_with(kGroupPath);
  VARVE_TRY(const auto asked,
            ceres::parse_delete(request.query, by_name, request.tenant, context.engine.clock().now_ms()));
  Selection out{request.tenant, std::nullopt, {}, asked.range};
  if (by_name) out.metric = request.path.substr(kNamePath.size());
  if (by_group) {
    out.matchers.push_back({std::string(ceres::kGroupTag), Kind::any_of, {request.path.substr(kGroupPath.size())}});
  }
  for (const auto& [key, value] : asked.tags) out.matchers.push_back({key, Kind::any_of, {value}});
  return out;
}

Response run_ceres_delete(const DeleteContext& context, const Request& request) {
  const auto selection = selection_of(context, request);
  if (!selection) return ceres_error(selection.error(), request.path);
  const auto status = erase_selection(context, *selection, kCeresApi, target_text(request), request.gone.get());
  return status ? Response::empty(200) : ceres_error(status.error(), request.path);
}

}  // namespace

void add_ceres_delete(Router& router, const DeleteContext& context) {
  const Handler handler = [context](const Request& request, const Responder& respond) {
    if (request.tenant.empty()) return respond(ceres_error(400, "the request names no tenant", request.path));
    // The responder keeps the request.
    const bool taken = context.pool.post([context, &request, respond] { respond(run_ceres_delete(context, request)); });
    if (!taken) respond(ceres_error(503, "too many deletes are waiting", request.path));
  };
  router.add(Method::delete_, std::string(kCeresMetricPath), handler, Effect::deletes);
  router.add(Method::delete_, std::string(kNamePath) + "{name}", handler, Effect::deletes);
  router.add(Method::delete_, std::string(kGroupPath) + "{group}", handler, Effect::deletes);
}

}  // namespace varve::http
