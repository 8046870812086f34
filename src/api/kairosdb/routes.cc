// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/routes.h"

#include <memory>

#include "api/kairosdb/handlers.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

using Kairosdb = KairosdbParts;

// The last name takes what is left of a path: the longest patterns first. A list of metadata may be asked for with a
// slash behind it, which is no part of a name unless it is encoded.
constexpr Route<Kairosdb> kKairosdbRoutes[] = {
    // Its errors have a text in `error`, too.
    {Method::post, "/api/v1/datapoints", Itself{put_datapoints}, Effect::writes, http::plain_error},

    {Method::post, "/api/v1/datapoints/query", Planned{plan_kairosdb_query, &Kairosdb::queries}},
    {Method::get, "/api/v1/datapoints/query", Planned{plan_kairosdb_query, &Kairosdb::queries}},
    {Method::post, "/api/v1/datapoints/query/tags", OnPool{query_kairosdb_tags, &Kairosdb::tag_queries}},
    {Method::get, "/api/v1/metricnames", OnPool{list_metric_names, &Kairosdb::names}},
    {Method::get, "/api/v1/tagnames", OnPool{list_tag_names, &Kairosdb::names}},
    {Method::get, "/api/v1/tagvalues", OnPool{list_tag_values, &Kairosdb::names}},

    {Method::delete_, "/api/v1/metric/{name}", OnPool{run_kairosdb_delete, &Kairosdb::erases}, Effect::deletes},
    {Method::post, "/api/v1/datapoints/delete", OnPool{run_kairosdb_delete, &Kairosdb::erases}, Effect::deletes},

    {Method::get, "/api/v1/metadata/{service}/{service_key}/{key}", OnPool{get_text, &Kairosdb::of_texts}},
    {Method::post, "/api/v1/metadata/{service}/{service_key}/{key}", OnPool{put_text, &Kairosdb::of_texts},
     Effect::writes},
    {Method::delete_, "/api/v1/metadata/{service}/{service_key}/{key}", OnPool{erase_text, &Kairosdb::of_texts},
     Effect::deletes},
    {Method::get, "/api/v1/metadata/{service}/{service_key}/", OnPool{list_keys, &Kairosdb::of_texts}},
    {Method::get, "/api/v1/metadata/{service}/{service_key}", OnPool{list_keys, &Kairosdb::of_texts}},
    {Method::get, "/api/v1/metadata/{service}/", OnPool{list_service_keys, &Kairosdb::of_texts}},
    {Method::get, "/api/v1/metadata/{service}", OnPool{list_service_keys, &Kairosdb::of_texts}},

    {Method::get, "/api/v1/admin/runningqueries", Itself{list_running_queries}, Effect::administers},
    {.method = Method::get,
     .pattern = "/api/v1/admin/killquery/{id}",
     .answer = Itself{kill_query},
     .effect = Effect::administers,
     .changes_by_get = true},
    {Method::delete_, "/api/v1/admin/killquery/{id}", Itself{kill_query}, Effect::administers},

    {.pattern = "/api/v1/version",
     .answer = Itself{show_version},
     .effect = Effect::administers,
     .needs_tenant = false},
    {.pattern = "/api/v1/health/status",
     .answer = Itself{show_health},
     .effect = Effect::administers,
     .needs_tenant = false},
    {.pattern = "/api/v1/health/check",
     .answer = Itself{say_well},
     .effect = Effect::administers,
     .needs_tenant = false},
    // The index is never behind.
    {.pattern = "/api/v1/datapoints/index", .answer = Itself{say_well}, .needs_tenant = false},
    {.pattern = "/api/v1/features", .answer = Itself{list_features}, .needs_tenant = false},
    {.pattern = "/api/v1/features/{name}", .answer = Itself{show_feature}, .needs_tenant = false},
};

}  // namespace

void add_kairosdb_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const KairosdbParts>(context), kKairosdbRoutes, kairosdb_error);
}

}  // namespace varve::api
