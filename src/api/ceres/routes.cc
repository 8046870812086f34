// SPDX-License-Identifier: Apache-2.0
#include "api/ceres/routes.h"

#include <memory>

#include "api/ceres/error.h"
#include "api/ceres/handlers.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

using Ceres = CeresParts;

constexpr Route<Ceres> kCeresRoutes[] = {
    {.method = Method::get,
     .pattern = "/api/query",
     .answer = OnPool{query_ceres, &Ceres::queries},
     .takes = names_metric_or_group},

    {Method::get, "/api/metadata/tenants", OnPool{list_tenants, &Ceres::metadata}},
    {Method::get, "/api/metadata/metricNames", OnPool{list_ceres_metrics, &Ceres::metadata}},
    {Method::get, "/api/metadata/metricGroups", OnPool{list_metric_groups, &Ceres::metadata}},
    {Method::get, "/api/metadata/devices", OnPool{list_ceres_devices, &Ceres::metadata}},
    {Method::get, "/api/metadata/tagKeys", OnPool{list_ceres_tag_keys, &Ceres::metadata}},
    {Method::get, "/api/metadata/tagValues", OnPool{list_ceres_tag_values, &Ceres::metadata}},
    {Method::get, "/api/metadata/tags", OnPool{show_ceres_tags, &Ceres::metadata}},
    {Method::post, "/api/metadata/search", OnPool{search_ceres, &Ceres::metadata}},

    {Method::delete_, "/api/metric", OnPool{run_ceres_delete, &Ceres::erases}, Effect::deletes},
    {Method::delete_, "/api/metric/metricName/{name}", OnPool{run_ceres_delete, &Ceres::erases}, Effect::deletes},
    {Method::delete_, "/api/metric/metricGroup/{group}", OnPool{run_ceres_delete, &Ceres::erases}, Effect::deletes},
};

}  // namespace

CeresParts::CeresParts(const Context& context)
    : engine(context.queries),
      kept(context.retentions),
      erasing{context.queries, context.series, context.samples, context.metrics},
      queries(context.query_pool, QueryMetrics(context.metrics, engine.clock(), "ceres")),
      metadata(context.query_pool, QueryMetrics(context.metrics, engine.clock(), "ceres_metadata")),
      erases(context.slow_pool) {}

void add_ceres_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const CeresParts>(context), kCeresRoutes, ceres_error);
}

}  // namespace varve::api
