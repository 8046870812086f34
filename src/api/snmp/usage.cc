// SPDX-License-Identifier: Apache-2.0
#include "api/snmp/usage.h"

#include <memory>
#include <utility>

#include "api/shared/query_answer.h"
#include "api/shared/routes.h"
#include "api/snmp/usage_question.h"
#include "language/usage/read.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

using language::usage::InterfaceUsage;
using language::usage::Usage;
using language::usage::UsageFigures;
using protocol::json::Writer;

template <class Value>
void append_known(Writer& json, const char* key, const std::optional<Value>& value) {
  json.key(key);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void append_figures(Writer& json, const char* key, const UsageFigures& figures) {
  const auto if_known = [&](double rate) { return figures.is_known() ? std::optional(rate) : std::nullopt; };
  json.key(key).begin_object();
  if (figures.is_known() && !figures.growth.is_real) {
    json.member("bytes", figures.growth.whole);
  } else {
    append_known(json, "bytes", if_known(static_cast<double>(figures.growth.whole) + figures.growth.real));
  }
  append_known(json, "average", if_known(figures.average));
  append_known(json, "max", if_known(figures.max));
  append_known(json, "p95", if_known(figures.p95));
  append_known(json, "utilisation", figures.utilisation());
  json.end_object();
}

void append_interface(Writer& json, const InterfaceUsage& interface, model::TimeRange range) {
  json.begin_object().member("device", interface.device).member("interface", interface.name);
  append_known(json, "ifAlias", interface.alias);
  append_known(json, "speed", interface.bits_per_second);
  json.member("coverage",
              static_cast<double>(interface.in.growth.covered_ms) / static_cast<double>(range.last - range.first));
  append_figures(json, "in", interface.in);
  append_figures(json, "out", interface.out);
  json.end_object();
}

std::string usage_json(const UsageQuestion& question, const Usage& usage) {
  std::string out;
  Writer json(out);
  json.begin_object().member("begin", question.range.first / 1000).member("end", question.range.last / 1000);
  json.member("agg", question.width_ms / 1000).key("interfaces").begin_array();
  for (const InterfaceUsage& interface : usage.interfaces) append_interface(json, interface, question.range);
  json.end_array();
  if (question.sum) {
    json.key("sum").begin_object();
    append_figures(json, "in", usage.in);
    append_figures(json, "out", usage.out);
    json.end_object();
  }
  json.end_object();
  return out;
}

struct UsageParts {
  language::usage::UsageSources sources;
  const Clock& clock;
  Endpoint endpoint;
};

Result<Response> show_usage(const UsageParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const UsageQuestion question, read_usage_question(request, parts.clock.now_ms()));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.sources.queries, request, "snmp_usage"));
  VARVE_ASSIGN_OR_RETURN(const Usage usage,
                         query->explain(read_usage(parts.sources, request.tenant, question, *query)));
  Response response = with_read(Response::own_json(200, usage_json(question, usage)), query->ticket().read());
  return held_by(std::move(query), std::move(response));
}

constexpr Route<UsageParts> kUsageRoutes[] = {
    {Method::get, "/api/v1/snmp/usage", OnPool{show_usage, &UsageParts::endpoint}},
};

}  // namespace

void add_snmp_usage(Router& router, const Context& context, const SnmpContext& snmp) {
  const auto parts = std::make_shared<const UsageParts>(
      UsageParts{{context.queries, snmp.inventory, snmp.history, context.query_pool},
                 context.clock,
                 Endpoint(context.query_pool, QueryMetrics(context.metrics, context.clock, "snmp_usage"))});
  add_routes(router, parts, kUsageRoutes, http::plain_error);
}

}  // namespace varve::api
