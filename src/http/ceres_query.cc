// SPDX-License-Identifier: Apache-2.0
#include "http/ceres_query.h"

#include <utility>

#include "http/answer.h"
#include "http/ceres_answer.h"
#include "http/ceres_handlers.h"
#include "protocol/ceres/query.h"
#include "query/search.h"

namespace varve::http {

namespace {

namespace ceres = protocol::ceres;

// The first boundary of `width` (counted from 1970) at or after t.
model::Timestamp boundary_from(model::Timestamp t, std::int64_t width_ms) {
  const model::Timestamp before = model::window_start(t, width_ms);
  return before == t ? t : before + width_ms;
}

index::Matchers matchers_of(const ceres::Query& asked) {
  using Kind = index::Matcher::Kind;
  index::Matchers out;
  for (const auto& [key, value] : asked.tags) out.push_back({key, Kind::any_of, {value}});
  if (!asked.metric_group.empty()) out.push_back({std::string(ceres::kGroupTag), Kind::any_of, {asked.metric_group}});
  return out;
}

// Each series by itself. A window belongs to the answer if it begins in the range, and then all of it does: so the
// first and the last are never parts.
query::MetricQuery metric_query(const ceres::Query& asked, std::int64_t width_ms) {
  query::MetricQuery out;
  out.matchers = matchers_of(asked);
  out.each_series = true;
  if (width_ms == 0) return out;
  aggregate::Stage stage;
  stage.function = *aggregate::function_of(asked.aggregator);  // the parser knows the same names
  stage.sampling = {width_ms, model::TimeUnit::milliseconds};
  stage.align_sampling = false;  // from the start of the range, which is a boundary
  stage.stamp = aggregate::Stamp::window_start;
  out.stages.push_back(stage);
  return out;
}

Result<std::vector<std::string>> metrics_of(const CeresHandlers& self, const ceres::Query& asked,
                                            const Request& request) {
  if (asked.metric_group.empty()) return std::vector<std::string>{asked.metric_name};
  query::Search search;
  search.tenant = request.tenant;
  search.matchers = matchers_of(asked);
  VARVE_TRY(const auto query, begin_query(self.engine(), request, self.api()));
  return query::metrics_with(self.engine(), search, *query);
}

Result<Response> answer(const CeresHandlers& self, const Request& request) {
  const model::Timestamp now = self.engine().clock().now_ms();
  VARVE_TRY(const ceres::Query asked, ceres::parse_query(request.query, request.tenant, now));
  std::int64_t width_ms = asked.granularity_ms;
  if (asked.aggregator != "raw" && width_ms == 0) {
    VARVE_TRY(width_ms, ceres::pick_granularity(self.kept(), asked.range, now));
  }
  query::Request wanted;
  wanted.tenant = request.tenant;
  wanted.range = asked.range;
  wanted.api = self.api();
  wanted.text = target_text(request);
  if (width_ms != 0) {
    wanted.range = {boundary_from(asked.range.first, width_ms), boundary_from(asked.range.last, width_ms)};
  }
  VARVE_TRY(auto metrics, metrics_of(self, asked, request));
  for (const std::string& metric : metrics) {
    wanted.metrics.push_back(metric_query(asked, width_ms));
    wanted.metrics.back().metric = metric;
  }
  VARVE_TRY(auto found, self.engine().run(wanted, request.gone.get()));
  CeresHead head{request.tenant, std::move(metrics), asked.aggregator, width_ms, asked.range};
  const query::Read read = found.read;
  auto held = found.held;
  const auto text = std::make_shared<CeresAnswer>(std::move(head), std::move(found));
  return streamed(std::move(held), with_read(Response::json(200, ""), read), text);
}

}  // namespace

Handler make_ceres_query(const CeresContext& context) {
  return std::make_shared<CeresHandlers>(context, "ceres")->on_pool(answer);
}

}  // namespace varve::http
