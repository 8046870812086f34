// SPDX-License-Identifier: Apache-2.0
// /api/v1/metadata: what senders said of metrics.
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "api/prometheus/answer.h"
#include "api/prometheus/error.h"
#include "api/prometheus/handlers.h"
#include "api/prometheus/parameters.h"
#include "api/shared/query_answer.h"

namespace varve::api {
namespace {

// Prometheus' limits here: negative ones are none.
Result<std::int64_t> limit_of_metadata(const PrometheusParameters& parameters, std::string_view name) {
  const auto text = parameters.get(name);
  if (!text) return -1;
  std::int64_t limit = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, limit);
  if (read.ec != std::errc() || read.ptr != end) {
    return fail(Code::invalid, std::string(name) + " must be a number");
  }
  return limit;
}

}  // namespace

Result<Response> answer_metric_metadata(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  VARVE_ASSIGN_OR_RETURN(const std::int64_t limit, limit_of_metadata(parameters, "limit"));
  VARVE_ASSIGN_OR_RETURN(const std::int64_t of_metric, limit_of_metadata(parameters, "limit_per_metric"));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.engine, request, "promql_names"));
  const auto found = parts.metadata->of(request.tenant, std::string(parameters.get("metric").value_or("")),
                                        query::still_wanted(query->deadline()));
  if (!found) return prometheus_failure_of(found.error());
  std::string body = prometheus_success([&](protocol::json::Writer& json) {
    json.begin_object();
    std::int64_t metrics = 0;
    for (const auto& [metric, all] : *found) {
      if (limit >= 0 && metrics++ >= limit) break;
      json.key(metric).begin_array();
      std::int64_t written = 0;
      for (const auto& one : all) {
        if (of_metric > 0 && written++ >= of_metric) break;
        json.begin_object().member("type", model::kMetricTypeNames[static_cast<std::size_t>(one.type)]);
        json.member("help", one.help).member("unit", one.unit).end_object();
      }
      json.end_array();
    }
    json.end_object();
  });
  return held_by(std::move(query), Response::json(200, std::move(body)));
}

}  // namespace varve::api
