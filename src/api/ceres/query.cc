// SPDX-License-Identifier: Apache-2.0
#include "api/ceres/query.h"

#include <utility>

#include "api/ceres/answer.h"
#include "api/ceres/handlers.h"
#include "api/shared/http.h"
#include "language/ceres/to_request.h"
#include "protocol/ceres/query.h"
#include "query/search.h"

namespace varve::api {

namespace {

namespace ceres = protocol::ceres;

Result<std::vector<std::string>> metrics_of(const CeresHandlers& self, const ceres::Query& asked,
                                            const Request& request) {
  if (asked.metric_group.empty()) return std::vector<std::string>{asked.metric_name};
  query::Search search;
  search.tenant = request.tenant;
  search.matchers = language::ceres::matchers_of(asked);
  VARVE_ASSIGN_OR_RETURN(const auto query, begin_query(self.engine(), request, self.api()));
  return query::metrics_with(self.engine(), search, *query);
}

Result<Response> answer(const CeresHandlers& self, const Request& request) {
  const model::Timestamp now = self.engine().clock().now_ms();
  VARVE_ASSIGN_OR_RETURN(const ceres::Query asked, ceres::parse_query(request.query, request.tenant, now));
  std::int64_t width_ms = asked.granularity_ms;
  if (asked.aggregator != "raw" && width_ms == 0) {
    VARVE_ASSIGN_OR_RETURN(width_ms, ceres::pick_granularity(self.kept(), asked.range, now));
  }
  VARVE_ASSIGN_OR_RETURN(auto metrics, metrics_of(self, asked, request));
  query::Request wanted = language::ceres::to_request(asked, request.tenant, metrics, width_ms);
  wanted.api = self.api();
  wanted.text = target_text(request);
  VARVE_ASSIGN_OR_RETURN(auto found, self.engine().stream(wanted, request.gone));
  CeresHead head{request.tenant, std::move(metrics), asked.aggregator, width_ms, asked.range};
  const query::Read read = found.answer.read;
  auto held = found.answer.held;
  const auto text = std::make_shared<CeresAnswer>(std::move(head), std::move(found));
  return streamed(std::move(held), with_read(Response::json(200, ""), read), text);
}

bool names_metric_or_group(const Request& request) {
  return request.param("metricName").has_value() || request.param("metricGroup").has_value();
}

}  // namespace

Handler make_ceres_query(const CeresContext& context) {
  return std::make_shared<CeresHandlers>(context, "ceres")->on_pool(answer);
}

void add_ceres_query(Router& router, const CeresContext& context) {
  router.add_variant(Method::get, "/api/query", names_metric_or_group, make_ceres_query(context));
}

}  // namespace varve::api
