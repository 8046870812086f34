// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/later_answer.h"

#include <functional>
#include <utility>

#include "api/analytics/errors.h"
#include "api/analytics/handlers.h"
#include "api/analytics/result_answer.h"
#include "base/ascii.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;
using ListedLater = analytics::LaterQueries::Listed;
using protocol::json::Writer;

constexpr std::string_view kQueryPath = "/analytics/query/";

// With the tenant, if the path that was asked for has it.
std::string href_of(const Request& request, std::string_view id) {
  const bool in_header =
      request.header("x-tenant") == request.tenant || request.header("x-scope-orgid") == request.tenant;
  const std::string before = request.tenant_named && !in_header ? "/t/" + request.tenant : "";
  return before + std::string(kQueryPath) + std::string(id);
}

Result<analytics::QueryState> state_asked(analytics::LaterQueries& queries, const analytics::QueryName& name) {
  VARVE_ASSIGN_OR_RETURN(auto state, queries.results()->state(name));
  if (!state) return fail(Code::not_found, "there is no such query, or its result has gone");
  return std::move(*state);
}

enum class Shown { nothing, progress, error };

void append_list(Writer& json, std::string_view name, const std::vector<ListedLater>& listed, Shown shown) {
  json.key(name).begin_array();
  for (const ListedLater& one : listed) {
    json.begin_object().member("query_id", one.id).member("query", one.text).member("enqueue_time", one.asked_us);
    if (shown == Shown::progress) json.member("progress", one.progress);
    if (shown == Shown::error) json.member("error_code", one.progress).member("error", one.error);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

bool wants_later(const Request& request) {
  constexpr std::string_view kLater = "202-accepted";
  return lower(request.header("expect")) == kLater || lower(request.header("postman-expect")) == kLater;
}

Result<Response> later_answer(analytics::LaterQueries& queries, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto id, queries.begin(request.tenant, std::string(request.body)));
  std::string body;
  Writer(body).begin_object().member("href", href_of(request, id)).end_object();
  return Response::json(202, std::move(body));
}

std::shared_ptr<analytics::LaterQueries> make_later_queries(const analytics::MessageSource& source,
                                                            const Context& context) {
  std::shared_ptr<analytics::KeptResults> results;
  if (context.passing_texts == nullptr) {
    results = std::make_shared<analytics::ResultsInMemory>(context.clock, source.engine.memory());
  } else {
    const std::int64_t timeout_ms = source.engine.limits().timeout.count();
    results = std::make_shared<analytics::ResultsInTexts>(context.clock, *context.passing_texts, timeout_ms);
  }
  context.metrics.gauge("varve_query_results_bytes", "Results of queries that were answered later, in memory.",
                        [results] { return static_cast<double>(results->bytes()); });
  return std::make_shared<analytics::LaterQueries>(source, context.query_pool, std::move(results), analytics_status_of);
}

Result<Response> show_later_query(const AnalyticsParts& parts, const Request& request) {
  analytics::LaterQueries& queries = *parts.later;
  const analytics::QueryName name{request.tenant, std::string(request.captured("id"))};
  VARVE_ASSIGN_OR_RETURN(const auto state, state_asked(queries, name));
  return Response::json(200, analytics::state_json(state, href_of(request, name.id), queries.source().now_us()));
}

Result<Response> show_later_chunk(const AnalyticsParts& parts, const Request& request) {
  analytics::LaterQueries& queries = *parts.later;
  const analytics::QueryName name{request.tenant, std::string(request.captured("id"))};
  VARVE_ASSIGN_OR_RETURN(const auto state, state_asked(queries, name));
  if (request.captured("number") != "0") return fail(Code::not_found, "there is one chunk only: 0");
  if (state.status != 0) return request.error(state.status, state.error);
  if (!state.ended) return fail(Code::unavailable, "the result is not whole yet: wait for a progress of 100");
  return result_answer(queries.source().engine.memory(), queries.results(), name, state.parts);
}

Result<Response> list_later_queries(const AnalyticsParts& parts, const Request& request) {
  analytics::LaterQueries& queries = *parts.later;
  const auto lists = queries.list(request.tenant);
  std::string body;
  Writer json(body);
  json.begin_object();
  append_list(json, "pending_queries", lists.pending, Shown::nothing);
  append_list(json, "queries_being_processed", lists.processed, Shown::progress);
  append_list(json, "abandoned_queries", lists.abandoned, Shown::error);
  append_list(json, "error_queries", lists.failed, Shown::error);
  json.end_object();
  return Response::json(200, std::move(body));
}

}  // namespace varve::api
