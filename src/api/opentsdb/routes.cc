// SPDX-License-Identifier: Apache-2.0
#include "api/opentsdb/routes.h"

#include <memory>

#include "api/opentsdb/error.h"
#include "api/opentsdb/handlers.h"
#include "api/opentsdb/names.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

using Opentsdb = OpentsdbParts;

void show_aggregators(const Opentsdb&, const Request&, const Responder& respond) {
  respond(Response::json(200, opentsdb_aggregators()));
}
void show_filters(const Opentsdb&, const Request&, const Responder& respond) {
  respond(Response::json(200, opentsdb_filters()));
}
void show_opentsdb_version(const Opentsdb& parts, const Request&, const Responder& respond) {
  respond(Response::json(200, opentsdb_version(parts.version)));
}

constexpr Route<Opentsdb> kOpentsdbRoutes[] = {
    // A tag of a point may name its tenant.
    {.method = Method::post,
     .pattern = "/api/put",
     .answer = Itself{put_opentsdb},
     .effect = Effect::writes,
     .needs_tenant = false},

    {Method::get, "/api/query", OnPool{query_opentsdb, &Opentsdb::of_samples}},
    {Method::post, "/api/query", OnPool{query_opentsdb, &Opentsdb::of_samples}},
    {Method::get, "/api/query/last", OnPool{query_last, &Opentsdb::of_samples}},
    {Method::post, "/api/query/last", OnPool{query_last, &Opentsdb::of_samples}},
    {Method::get, "/api/suggest", OnPool{suggest, &Opentsdb::of_names}},
    {Method::post, "/api/suggest", OnPool{suggest, &Opentsdb::of_names}},
    {Method::get, "/api/search/lookup", OnPool{look_up, &Opentsdb::of_names}},
    {Method::post, "/api/search/lookup", OnPool{look_up, &Opentsdb::of_names}},

    {.method = Method::get, .pattern = "/api/aggregators", .answer = Itself{show_aggregators}, .needs_tenant = false},
    {.method = Method::post, .pattern = "/api/aggregators", .answer = Itself{show_aggregators}, .needs_tenant = false},
    {.method = Method::get, .pattern = "/api/config/filters", .answer = Itself{show_filters}, .needs_tenant = false},
    {.method = Method::post, .pattern = "/api/config/filters", .answer = Itself{show_filters}, .needs_tenant = false},
    {.method = Method::get,
     .pattern = "/api/version",
     .answer = Itself{show_opentsdb_version},
     .effect = Effect::administers,
     .needs_tenant = false},
    {.method = Method::post,
     .pattern = "/api/version",
     .answer = Itself{show_opentsdb_version},
     .effect = Effect::administers,
     .needs_tenant = false},
};

}  // namespace

void add_opentsdb_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const OpentsdbParts>(context), kOpentsdbRoutes, opentsdb_error);
}

}  // namespace varve::api
