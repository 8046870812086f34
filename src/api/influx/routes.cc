// SPDX-License-Identifier: Apache-2.0
#include "api/influx/routes.h"

#include <memory>

#include "api/influx/error.h"
#include "api/influx/handlers.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

constexpr Route<InfluxParts> kInfluxRoutes[] = {
    {Method::post, "/write", Itself{write_lines}, Effect::writes},
    {Method::post, "/api/v2/write", Itself{write_lines}, Effect::writes, influx2_error},
    {.method = Method::get, .pattern = "/query", .answer = Itself{answer_influx_query}, .needs_tenant = false},
    {.method = Method::post, .pattern = "/query", .answer = Itself{answer_influx_query}, .needs_tenant = false},
    {.pattern = "/ping", .answer = Itself{ping}, .effect = Effect::administers, .needs_tenant = false},
    {.pattern = "/health", .answer = Itself{show_influx_health}, .effect = Effect::administers, .needs_tenant = false},
};

}  // namespace

void add_influx_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const InfluxParts>(context), kInfluxRoutes, influx1_error);
}

}  // namespace varve::api
