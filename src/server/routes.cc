// SPDX-License-Identifier: Apache-2.0
#include "server/routes.h"

#include "api/admin/routes.h"
#include "api/analytics/routes.h"
#include "api/catalog/routes.h"
#include "api/ceres/routes.h"
#include "api/elasticsearch/routes.h"
#include "api/influx/routes.h"
#include "api/kairosdb/routes.h"
#include "api/loki/routes.h"
#include "api/messages/routes.h"
#include "api/opentsdb/routes.h"
#include "api/otlp/logs_routes.h"
#include "api/otlp/metrics_routes.h"
#include "api/prometheus/routes.h"
#include "api/snmp/usage.h"
#include "server/translate.h"

namespace varve::server {
namespace {

constexpr void (*kFamilies[])(http::Router& router, const api::Context& context) = {
    api::add_kairosdb_routes,     api::add_opentsdb_routes,      api::add_ceres_routes,     api::add_influx_routes,
    api::add_prometheus_routes,   api::add_catalog_routes,       api::add_admin_routes,     api::add_message_routes,
    api::add_otlp_logs_routes,    api::add_elasticsearch_routes, api::add_analytics_routes, api::add_loki_routes,
    api::add_otlp_metrics_routes,
};

}  // namespace

http::Router make_routes(const config::Roles& roles, const api::Context& context, const api::TasksContext& tasks,
                         const api::SnmpContext& snmp, const api::EsmondContext& esmond) {
  http::Router router([roles](http::Effect effect) { return serves(roles, effect); });
  for (const auto add_routes : kFamilies) add_routes(router, context);
  api::add_rollup_tasks(router, tasks);
  api::add_snmp_inventory(router, snmp);
  api::add_snmp_usage(router, context, snmp);
  api::add_esmond_routes(router, context, esmond);
  return router;
}

}  // namespace varve::server
