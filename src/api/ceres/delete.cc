// SPDX-License-Identifier: Apache-2.0
// Ceres' deletes: of the tenant, of a metric (by tags), of a metric group; over all time or a range.
// docs/protocols/ceres.md.
#include "protocol/ceres/delete.h"
#include "api/ceres/error.h"
#include "api/ceres/handlers.h"
#include "api/shared/deletes.h"
#include "api/shared/endpoint.h"

namespace varve::api {

namespace {

namespace ceres = protocol::ceres;
using Kind = index::Matcher::Kind;

constexpr const char* kCeresApi = "ceres";

Result<Selection> selection_of(const DeleteContext& context, const Request& request) {
  const std::string_view name = request.captured("name"), group = request.captured("group");
  const bool by_name = !name.empty();
  VARVE_ASSIGN_OR_RETURN(const auto asked,
                         ceres::parse_delete(request.query, by_name, request.tenant, context.engine.clock().now_ms()));
  Selection out{request.tenant, std::nullopt, {}, asked.range};
  if (by_name) out.metric = name;
  if (!group.empty()) out.matchers.push_back({std::string(ceres::kGroupTag), Kind::any_of, {std::string(group)}});
  for (const auto& [key, value] : asked.tags) out.matchers.push_back({key, Kind::any_of, {value}});
  return out;
}

Result<Response> run_ceres_delete(const DeleteContext& context, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto selection, selection_of(context, request));
  const Asker asker{kCeresApi, target_text(request), request.peer};
  VARVE_RETURN_IF_ERROR(erase_selection(context, selection, asker, request.gone.get()));
  return Response::empty(200);
}

}  // namespace

void add_ceres_delete(Router& router, const DeleteContext& context) {
  const Endpoint endpoint(context.pool, {.shape = ceres_error});
  const Handler handler =
      endpoint.on_pool([context](const Request& request) { return run_ceres_delete(context, request); });
  router.add(Method::delete_, "/api/metric", handler, Effect::deletes);
  router.add(Method::delete_, "/api/metric/metricName/{name}", handler, Effect::deletes);
  router.add(Method::delete_, "/api/metric/metricGroup/{group}", handler, Effect::deletes);
}

}  // namespace varve::api
