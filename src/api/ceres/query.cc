// SPDX-License-Identifier: Apache-2.0
// Ceres' queries.
#include <utility>

#include "api/ceres/answer.h"
#include "api/ceres/handlers.h"
#include "language/ceres/to_request.h"
#include "protocol/ceres/query.h"
#include "query/search.h"

namespace varve::api {

namespace {

namespace ceres = protocol::ceres;

constexpr const char* kCeresApi = "ceres";

Result<std::vector<std::string>> metrics_of(const CeresParts& parts, const ceres::Query& asked,
                                            const Request& request) {
  if (asked.metric_group.empty()) return std::vector<std::string>{asked.metric_name};
  query::Search search;
  search.tenant = request.tenant;
  search.matchers = language::ceres::matchers_of(asked);
  VARVE_ASSIGN_OR_RETURN(const auto query, begin_query(parts.engine, request, kCeresApi));
  return query::metrics_with(parts.engine, search, *query);
}

}  // namespace

Result<Response> query_ceres(const CeresParts& parts, const Request& request) {
  const model::Timestamp now = parts.engine.clock().now_ms();
  VARVE_ASSIGN_OR_RETURN(const ceres::Query asked, ceres::parse_query(request.query, request.tenant, now));
  std::int64_t width_ms = asked.granularity_ms;
  if (asked.aggregator != "raw" && width_ms == 0) {
    VARVE_ASSIGN_OR_RETURN(width_ms, ceres::pick_granularity(parts.kept, asked.range, now));
  }
  VARVE_ASSIGN_OR_RETURN(auto metrics, metrics_of(parts, asked, request));
  query::Request wanted = language::ceres::to_request(asked, request.tenant, metrics, width_ms);
  wanted.api = kCeresApi;
  wanted.text = target_text(request);
  VARVE_ASSIGN_OR_RETURN(auto found, parts.engine.stream(wanted, request.gone));
  CeresHead head{request.tenant, std::move(metrics), asked.aggregator, width_ms, asked.range};
  const query::Read read = found.answer.read;
  auto held = found.answer.held;
  const auto text = std::make_shared<CeresAnswer>(std::move(head), std::move(found));
  return streamed(std::move(held), with_read(Response::json(200, ""), read), text);
}

bool names_metric_or_group(const Request& request) {
  return request.param("metricName").has_value() || request.param("metricGroup").has_value();
}

}  // namespace varve::api
