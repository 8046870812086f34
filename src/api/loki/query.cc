// SPDX-License-Identifier: Apache-2.0
// /loki/api/v1/query_range and query: lines as streams, metrics as a matrix or a vector.
#include <algorithm>
#include <string>
#include <variant>

#include "api/loki/handlers.h"
#include "api/loki/metric_answer.h"
#include "base/ascii.h"
#include "language/logql/metric.h"
#include "language/logql/parser.h"
#include "language/logql/streams.h"
#include "language/logql/units.h"

namespace varve::api {
namespace {

namespace logql = language::logql;
using protocol::json::Writer;

constexpr std::uint64_t kLinesUnlessSaid = 100;
constexpr std::string_view kCategorize = "categorize-labels";
constexpr std::size_t kBytesOfPoint = 48;  // of its JSON, about

Result<logql::Query> parsed(const LokiAsking& asking) {
  return logql::parse(asking.parameters.get("query").value_or(""));
}

bool is_categorized(const Request& request) {
  return request.header("x-loki-response-encoding-flags").contains(kCategorize);
}

Result<bool> newest_first(const LokiParameters& parameters) {
  const std::string direction = lower(parameters.get("direction").value_or("backward"));
  if (direction == "backward" || direction == "forward") return direction == "backward";
  return fail(Code::invalid, "invalid direction '" + direction.substr(0, 100) + "'");
}

Result<std::uint64_t> lines_of(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t limit, asking.parameters.number("limit", kLinesUnlessSaid, 1));
  if (limit <= asking.rows_max) return limit;
  return fail(Code::invalid, "max entries limit per query exceeded, limit > messages.rows_max (" +
                                 std::to_string(limit) + " > " + std::to_string(asking.rows_max) + ")");
}

Result<std::string> streams(const LokiAsking& asking, const logql::LogQuery& query, logql::TimeSpan span) {
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t limit, lines_of(asking));
  VARVE_ASSIGN_OR_RETURN(const bool newest, newest_first(asking.parameters));
  VARVE_ASSIGN_OR_RETURN(const auto interval, asking.parameters.duration("interval"));
  if (interval.value_or(0) != 0) return fail(Code::unsupported, "the parameter 'interval' is not supported");
  const bool categorized = is_categorized(asking.request);
  VARVE_ASSIGN_OR_RETURN(const std::string list,
                         logql::find_streams(query, {span, limit, newest, categorized}, asking.source));
  VARVE_RETURN_IF_ERROR(asking.source.hold(list.size()));
  std::string body;
  Writer json(body);
  json.begin_object().member("status", "success").key("data").begin_object().member("resultType", "streams");
  if (categorized) json.key("encodingFlags").begin_array().value(kCategorize).end_array();
  json.key("result").raw(list).key("stats").raw("{}").end_object().end_object();
  return body;
}

Result<std::string> metric(const LokiAsking& asking, const logql::MetricQuery& query, const logql::Steps& steps,
                           bool instant) {
  VARVE_ASSIGN_OR_RETURN(const auto value, logql::evaluate(query, steps, asking.source));
  std::size_t points = 0;
  for (const logql::Series& series : value.series) points += 1 + series.points.size();
  if (points > asking.rows_max) {
    return fail(Code::limit,
                "the answer has more than " + std::to_string(asking.rows_max) + " points (messages.rows_max)");
  }
  VARVE_RETURN_IF_ERROR(asking.source.hold(points * kBytesOfPoint));
  std::string body;
  Writer json(body);
  json.begin_object().member("status", "success").key("data").begin_object();
  write_metric(json, value, steps, instant);
  json.key("stats").raw("{}").end_object().end_object();
  return body;
}

}  // namespace

Result<std::string> answer_query_range(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const auto span, asking.parameters.span(asking.now_ns, kHourNs));
  VARVE_ASSIGN_OR_RETURN(const auto query, parsed(asking));
  if (const auto* const log = std::get_if<logql::LogQuery>(&query)) return streams(asking, *log, span);
  VARVE_ASSIGN_OR_RETURN(const auto steps, steps_of(asking.parameters, span));
  return metric(asking, std::get<logql::MetricQuery>(query), steps, false);
}

Result<std::string> answer_instant(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const std::int64_t at_ns, asking.parameters.time("time", asking.now_ns));
  VARVE_ASSIGN_OR_RETURN(const auto query, parsed(asking));
  if (const auto* const value = std::get_if<logql::MetricQuery>(&query)) {
    return metric(asking, *value, {at_ns, at_ns, 1}, true);
  }
  return fail(Code::invalid,
              "log queries are not supported as an instant query type, please change your query to a range query type");
}

}  // namespace varve::api
