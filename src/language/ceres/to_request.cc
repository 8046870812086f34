// SPDX-License-Identifier: Apache-2.0
#include "language/ceres/to_request.h"

namespace varve::language::ceres {
namespace {

namespace ast = protocol::ceres;

// The first boundary of `width` (counted from 1970) at or after t.
model::Timestamp boundary_from(model::Timestamp t, std::int64_t width_ms) {
  const model::Timestamp before = model::window_start(t, width_ms);
  return before == t ? t : before + width_ms;
}

template <class AnyStage>
AnyStage stage_of(std::int64_t width_ms) {
  AnyStage stage;
  stage.sampling = {width_ms, model::TimeUnit::milliseconds};
  stage.align_sampling = false;  // from the start of the range, which is a boundary
  stage.stamp = aggregate::Stamp::window_start;
  return stage;
}

// The parser knows the same names.
aggregate::Step step_of(const ast::Query& query, std::int64_t width_ms) {
  if (query.aggregator == "increase" || query.aggregator == "counter_rate") {
    auto stage = stage_of<aggregate::CounterStage>(width_ms);
    stage.per_second = query.aggregator == "counter_rate";
    return stage;
  }
  auto stage = stage_of<aggregate::Stage>(width_ms);
  stage.function = *aggregate::function_of(query.aggregator);
  return stage;
}

}  // namespace

index::Matchers matchers_of(const ast::Query& query) {
  using Kind = index::Matcher::Kind;
  index::Matchers out;
  for (const auto& [key, value] : query.tags) out.push_back({key, Kind::any_of, {value}});
  if (!query.metric_group.empty()) out.push_back({std::string(ast::kGroupTag), Kind::any_of, {query.metric_group}});
  return out;
}

query::Request to_request(const ast::Query& query, const std::string& tenant, const std::vector<std::string>& metrics,
                          std::int64_t width_ms) {
  query::Request out;
  out.tenant = tenant;
  out.range = query.range;
  if (width_ms != 0) {
    out.range = {boundary_from(query.range.first, width_ms), boundary_from(query.range.last, width_ms)};
  }
  for (const std::string& metric : metrics) {
    query::MetricQuery& to = out.metrics.emplace_back();
    to.metric = metric;
    to.matchers = matchers_of(query);
    to.pipeline().group_by = query::EachSeries();
    if (width_ms != 0) to.pipeline().stages.push_back(step_of(query, width_ms));
  }
  return out;
}

}  // namespace varve::language::ceres
