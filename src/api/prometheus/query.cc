// SPDX-License-Identifier: Apache-2.0
// /api/v1/query, query_range, format_query and parse_query.
#include <chrono>
#include <string>
#include <utility>

#include "api/prometheus/answer.h"
#include "api/prometheus/error.h"
#include "api/prometheus/explain.h"
#include "api/prometheus/handlers.h"
#include "api/prometheus/parameters.h"
#include "api/shared/query_answer.h"
#include "base/regex.h"
#include "language/promql/duration.h"
#include "language/promql/engine_source.h"
#include "language/promql/evaluate.h"
#include "language/promql/parser.h"
#include "language/promql/print.h"
#include "language/promql/print_json.h"

namespace varve::api {
namespace {

namespace promql = language::promql;

struct PromqlAsked {
  std::string_view text;
  promql::ExpressionPtr root;
  promql::Steps steps;
  bool instant = false;
  std::int64_t lookback_ms = 0;
  std::size_t limit = 0;
  std::int64_t timeout_ms = 0;  // 0: none of its own
  PrometheusCosts costs{};      // which are asked for
};

Result<promql::ExpressionPtr> parsed_query(const PrometheusParts& parts, std::string_view text) {
  auto root = promql::parse(text, {parts.options.strict});
  if (!root) return bad_prometheus_parameter("query", root.error().message);
  return root;
}

// All that can be wrong before anything is read.
Result<PromqlAsked> understood(const PrometheusParts& parts, const PrometheusParameters& parameters,
                               promql::Steps steps, bool instant) {
  PromqlAsked out{parameters.get("query").value_or(""), nullptr, steps, instant};
  VARVE_ASSIGN_OR_RETURN(out.limit, parameters.limit());
  VARVE_ASSIGN_OR_RETURN(out.lookback_ms, parameters.duration_ms("lookback_delta", parts.options.lookback_ms));
  if (out.lookback_ms <= 0) return bad_prometheus_parameter("lookback_delta", "it is not greater than 0");
  VARVE_ASSIGN_OR_RETURN(out.timeout_ms, parameters.duration_ms("timeout", 0));
  out.costs.stats = parameters.get("stats").has_value();
  out.costs.explain = parameters.get("explain") == "true";
  VARVE_ASSIGN_OR_RETURN(out.root, parsed_query(parts, out.text));
  const promql::ValueType type = out.root->type;
  if (!instant && (type == promql::ValueType::matrix || type == promql::ValueType::string)) {
    const std::string name = type == promql::ValueType::matrix ? "range vector" : "string";
    return bad_prometheus_parameter(
        "query", "invalid expression type \"" + name + "\" for range query, must be Scalar or instant Vector");
  }
  promql::QuerySteps of_query;
  if (!instant) of_query = {steps.step_ms, steps.end_ms - steps.start_ms};
  const Status durations = promql::resolve_durations(*out.root, of_query, out.text);
  if (!durations) return bad_prometheus_parameter("query", durations.error().message);
  return out;
}

Result<promql::Answer> evaluated(const PrometheusParts& parts, const Request& request, const PromqlAsked& asked,
                                 query::UnderWay& query, PrometheusCosts& costs) {
  const RegexMeter meter([&query] { return query.deadline().check(); });
  promql::EngineSource source(parts.engine, request.tenant, query, parts.options.series_max);
  if (costs.stats || costs.explain) source.measure();
  promql::EvaluationOptions options;
  options.lookback_ms = asked.lookback_ms;
  options.memory_max = parts.engine.limits().memory_bytes;
  options.hold = [&query](std::size_t bytes) { return query.budget().charge(bytes); };
  options.go_on = query::still_wanted(query.deadline());
  const std::int64_t began_ns = parts.engine.clock().steady_ns();
  auto answer = promql::evaluate({*asked.root, asked.text, asked.steps, asked.instant}, source, options);
  costs.evaluation_ns = parts.engine.clock().steady_ns() - began_ns;
  costs.reads = source.reads();
  if (!meter.status()) return fail(meter.status().error());
  return answer;
}

Result<Response> answer_promql(const PrometheusParts& parts, const Request& request,
                               const PrometheusParameters& parameters, promql::Steps steps, bool instant) {
  const std::int64_t began_ns = parts.engine.clock().steady_ns();
  VARVE_ASSIGN_OR_RETURN(const PromqlAsked asked, understood(parts, parameters, steps, instant));
  const std::chrono::milliseconds timeout(asked.timeout_ms);
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.engine, request, "promql", {}, timeout));
  PrometheusCosts costs = asked.costs;
  auto answer = query->explain(evaluated(parts, request, asked, *query, costs));
  if (!answer) return prometheus_failure_of(answer.error());
  PrometheusNotes notes{std::move(answer->warnings), std::move(answer->infos)};
  if (limit_series(*answer, asked.limit)) notes.warnings.emplace_back(kTruncated);
  if (const Status room = query->budget().charge(prometheus_bytes_of(*answer)); !room) {
    return prometheus_failure_of(room.error());
  }
  costs.execution_ns = parts.engine.clock().steady_ns() - began_ns;
  std::string body = prometheus_success(
      [&](protocol::json::Writer& json) {
        json.begin_object();
        write_prometheus_result(json, *answer, steps, instant);
        write_prometheus_costs(json, *asked.root, costs);
        json.end_object();
      },
      notes);
  Response response = with_read(Response::json(200, std::move(body)), query->ticket().read());
  return held_by(std::move(query), std::move(response));
}

}  // namespace

Result<Response> answer_instant_query(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  VARVE_ASSIGN_OR_RETURN(const std::int64_t time, parameters.time_ms("time", parts.engine.clock().now_ms()));
  return answer_promql(parts, request, parameters, {time, time, 1}, true);
}

Result<Response> answer_range_query(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  VARVE_ASSIGN_OR_RETURN(const promql::Steps steps, parameters.steps());
  return answer_promql(parts, request, parameters, steps, false);
}

Result<Response> format_query(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  VARVE_ASSIGN_OR_RETURN(const auto root, parsed_query(parts, parameters.get("query").value_or("")));
  return Response::json(200,
                        prometheus_success([&](protocol::json::Writer& json) { json.value(promql::pretty(*root)); }));
}

Result<Response> parse_query(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  VARVE_ASSIGN_OR_RETURN(const auto root, parsed_query(parts, parameters.get("query").value_or("")));
  return Response::json(200,
                        prometheus_success([&](protocol::json::Writer& json) { promql::write_tree(json, *root); }));
}

}  // namespace varve::api
