// SPDX-License-Identifier: Apache-2.0
#include "server/routes.h"

#include "api/admin/routes.h"
#include "api/analytics/routes.h"
#include "api/catalog/routes.h"
#include "api/ceres/error.h"
#include "api/ceres/routes.h"
#include "api/elasticsearch/routes.h"
#include "api/esmond/error.h"
#include "api/influx/error.h"
#include "api/influx/routes.h"
#include "api/kairosdb/routes.h"
#include "api/loki/error.h"
#include "api/loki/push_routes.h"
#include "api/loki/query_routes.h"
#include "api/messages/routes.h"
#include "api/opentsdb/error.h"
#include "api/opentsdb/routes.h"
#include "api/otlp/logs_routes.h"
#include "api/prometheus/routes.h"
#include "api/snmp/usage.h"
#include "http/answer.h"
#include "server/translate.h"

namespace varve::server {
namespace {

struct Family {
  void (*add_routes)(http::Router& router, const api::Context& context);
  // Paths whose errors the family's clients read, also where there is no such route; a longer one counts before a
  // shorter one. "": it has none of its own.
  std::string_view errors_under = {};
  http::ErrorShape error_shape = nullptr;
};

constexpr Family kFamilies[] = {
    {api::add_kairosdb_routes, "/api/v1/", http::error_response},
    {api::add_opentsdb_routes, "/api/", api::opentsdb_error},
    {api::add_ceres_routes, "/api/metadata/", api::ceres_error},
    {api::add_influx_routes, "/api/v2/", api::influx2_error},
    {api::add_prometheus_routes},
    {api::add_catalog_routes},
    {api::add_admin_routes},
    {api::add_message_routes},
    {api::add_loki_push_routes, "/loki/", api::loki_error},
    {api::add_otlp_logs_routes, "/v1/", api::otlp_error},
    {api::add_elasticsearch_routes, "/elasticsearch/", api::elasticsearch_error},
    {api::add_analytics_routes},
    {api::add_loki_query_routes},
};

}  // namespace

http::Router make_routes(const config::Roles& roles, const api::Context& context, const api::TasksContext& tasks,
                         const api::SnmpContext& snmp, const api::EsmondContext& esmond) {
  http::Router router([roles](http::Effect effect) { return serves(roles, effect); });
  for (const Family& family : kFamilies) family.add_routes(router, context);
  api::add_rollup_tasks(router, tasks);
  api::add_snmp_inventory(router, snmp);
  api::add_snmp_usage(router, context, snmp);
  api::add_esmond_routes(router, context, esmond);
  return router;
}

std::vector<std::pair<std::string, http::ErrorShape>> error_shapes() {
  std::vector<std::pair<std::string, http::ErrorShape>> shapes = {{"/esmond/", api::esmond_error}};
  for (const Family& family : kFamilies) {
    if (family.error_shape != nullptr) shapes.emplace_back(family.errors_under, family.error_shape);
  }
  return shapes;
}

}  // namespace varve::server
