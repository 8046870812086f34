// SPDX-License-Identifier: Apache-2.0
#include "api/prometheus/routes.h"

#include <memory>

#include "api/prometheus/error.h"
#include "api/prometheus/handlers.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

constexpr OnPool<PrometheusParts> kInstant{answer_instant_query, &PrometheusParts::queries};
constexpr OnPool<PrometheusParts> kRange{answer_range_query, &PrometheusParts::queries};
constexpr OnPool<PrometheusParts> kRead{read_remotely, &PrometheusParts::queries};
constexpr OnPool<PrometheusParts> kFormat{format_query, &PrometheusParts::names};
constexpr OnPool<PrometheusParts> kParse{parse_query, &PrometheusParts::names};
constexpr OnPool<PrometheusParts> kMetadata{answer_metric_metadata, &PrometheusParts::names};
constexpr OnPool<PrometheusParts> kTsdb{answer_tsdb_status, &PrometheusParts::names};
constexpr OnPool<PrometheusParts> kLabelNames{answer_prometheus_labels, &PrometheusParts::names};
constexpr OnPool<PrometheusParts> kLabelValues{answer_prometheus_values, &PrometheusParts::names};
constexpr OnPool<PrometheusParts> kLabelSets{answer_prometheus_series, &PrometheusParts::names};

// Of the server, not of a tenant.
constexpr Route<PrometheusParts> about(std::string_view pattern, Itself<PrometheusParts> answer) {
  return {.method = Method::get, .pattern = pattern, .answer = answer, .needs_tenant = false};
}

constexpr Route<PrometheusParts> kPrometheusRoutes[] = {
    {Method::post, "/api/v1/write", Itself{write_series}, Effect::writes, prometheus_error},
    {Method::post, "/api/v1/read", kRead, Effect::reads, prometheus_error},
    {Method::get, "/api/v1/query", kInstant},
    {Method::post, "/api/v1/query", kInstant},
    {Method::get, "/api/v1/query_range", kRange},
    {Method::post, "/api/v1/query_range", kRange},
    {.method = Method::get, .pattern = "/api/v1/format_query", .answer = kFormat, .needs_tenant = false},
    {.method = Method::post, .pattern = "/api/v1/format_query", .answer = kFormat, .needs_tenant = false},
    {.method = Method::get, .pattern = "/api/v1/parse_query", .answer = kParse, .needs_tenant = false},
    {.method = Method::post, .pattern = "/api/v1/parse_query", .answer = kParse, .needs_tenant = false},
    {Method::get, "/api/v1/labels", kLabelNames},
    {Method::post, "/api/v1/labels", kLabelNames},
    {Method::get, "/api/v1/label/{name}/values", kLabelValues},
    {Method::get, "/api/v1/series", kLabelSets},
    {Method::post, "/api/v1/series", kLabelSets},
    {Method::get, "/api/v1/metadata", kMetadata},
    {Method::get, "/api/v1/status/tsdb", kTsdb},
    about("/api/v1/status/buildinfo", Itself{show_prometheus_build}),
    about("/api/v1/status/runtimeinfo", Itself{show_prometheus_runtime}),
    about("/api/v1/status/flags", Itself{show_prometheus_flags}),
    about("/api/v1/status/config", Itself{show_prometheus_config}),
    about("/api/v1/rules", Itself{show_no_rules}),
    about("/api/v1/alerts", Itself{show_no_alerts}),
    about("/api/v1/targets", Itself{show_no_targets}),
    about("/api/v1/query_exemplars", Itself{show_no_exemplars}),
    {.method = Method::post,
     .pattern = "/api/v1/query_exemplars",
     .answer = Itself{show_no_exemplars},
     .needs_tenant = false},
};

}  // namespace

void add_prometheus_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const PrometheusParts>(context), kPrometheusRoutes, prometheus_query_error);
}

}  // namespace varve::api
