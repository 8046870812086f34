// SPDX-License-Identifier: Apache-2.0
#include "api/admin/routes.h"

#include <memory>
#include <utility>

#include "api/admin/handlers.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

constexpr Route<HealthParts> kHealthRoutes[] = {
    {.pattern = "/-/healthy", .answer = Itself{say_healthy}, .effect = Effect::administers, .needs_tenant = false},
    {.pattern = "/-/ready", .answer = Itself{say_ready}, .effect = Effect::administers, .needs_tenant = false},
    {.pattern = "/metrics", .answer = Itself{show_metrics}, .effect = Effect::administers, .needs_tenant = false},
};

constexpr Route<AdminParts> kAdminRoutes[] = {
    {Method::get, "/api/v1/admin/slots", OnPool{list_slots, &AdminParts::lists}, Effect::administers},
    {.method = Method::get,
     .pattern = "/api/v1/admin/jobs",
     .answer = OnPool{list_jobs, &AdminParts::lists},
     .effect = Effect::administers,
     .needs_tenant = false},
    {.method = Method::post,
     .pattern = "/-/settle",
     .answer = OnPool{settle, &AdminParts::settles},
     .effect = Effect::administers,
     .needs_tenant = false},
    {.method = Method::post,
     .pattern = "/-/trust-clock",
     .answer = Itself{trust_clock},
     .effect = Effect::administers,
     .needs_tenant = false},
};

}  // namespace

AdminParts::AdminParts(const Context& context)
    : slots(context.slots),
      series(context.series),
      samples(context.samples),
      ownership(context.ownership),
      lists(context.query_pool, status_of),
      settles(context.slow_pool, status_of) {}

void add_admin_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const AdminParts>(context), kAdminRoutes, http::plain_error);
}

void add_health(Router& router, const http::Gate& gate, const Metrics& metrics, std::function<std::string()> refusing) {
  const auto parts = std::make_shared<const HealthParts>(HealthParts{gate, metrics, std::move(refusing)});
  add_routes(router, parts, kHealthRoutes, http::plain_error);
}

}  // namespace varve::api
