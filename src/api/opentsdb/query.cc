// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's queries of samples and names.
#include <memory>
#include <utility>

#include "api/opentsdb/answer.h"
#include "api/opentsdb/handlers.h"
#include "api/opentsdb/names.h"
#include "language/opentsdb/to_request.h"
#include "protocol/opentsdb/query.h"
#include "protocol/opentsdb/query_names.h"

namespace varve::api {

namespace {

namespace opentsdb = protocol::opentsdb;

// What work(query::UnderWay&) finds as JSON, for a query of its own; `reads`: samples, so that it says how many.
template <class Work>
Result<Response> json_of_query(const query::Engine& engine, const Request& request, bool reads, const Work& work) {
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(engine, request, "opentsdb"));
  VARVE_ASSIGN_OR_RETURN(auto body, query->explain(work(*query)));
  Response response = Response::json(200, std::move(body));
  if (reads) response = with_read(std::move(response), query->ticket().read());
  return held_by(std::move(query), std::move(response));
}

std::string parameters_text(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    if (!out.empty()) out += '&';
    out.append(name).append("=").append(value);
  }
  return out;
}

}  // namespace

OpentsdbParts::OpentsdbParts(const Context& context)
    : writer(context.writer),
      tenant_tag(context.tenant_tag),
      engine(context.queries),
      version(context.version),
      of_samples(context.query_pool, QueryMetrics(context.metrics, engine.clock(), "opentsdb")),
      of_names(context.query_pool, QueryMetrics(context.metrics, engine.clock(), "opentsdb_names")) {}

Result<Response> query_opentsdb(const OpentsdbParts& parts, const Request& request) {
  const std::int64_t now = parts.engine.clock().now_ms();
  VARVE_ASSIGN_OR_RETURN(auto parsed, request.method == Method::post
                                          ? opentsdb::parse_query(request.body, request.query, now)
                                          : opentsdb::parse_query(request.query, now));
  VARVE_ASSIGN_OR_RETURN(auto compiled, language::opentsdb::to_request(parsed, request.tenant, parts.engine.series()));
  compiled.text = request.method == Method::post ? std::string(request.body) : parameters_text(request.query);
  VARVE_ASSIGN_OR_RETURN(auto found, parts.engine.stream(compiled, request.gone));
  auto held = found.answer.held;
  Response response = with_read(Response::json(200, ""), found.answer.read);
  const auto text = std::make_shared<OpentsdbAnswer>(std::move(parsed), std::move(found));
  return streamed(std::move(held), std::move(response), text);
}

Result<Response> query_last(const OpentsdbParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto wanted, request.method == Method::post ? opentsdb::parse_last(request.body)
                                                                           : opentsdb::parse_last(request.query));
  return json_of_query(parts.engine, request, true, [&](query::UnderWay& query) {
    return opentsdb_last(parts.engine, request.tenant, wanted, query);
  });
}

Result<Response> suggest(const OpentsdbParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto wanted, request.method == Method::post ? opentsdb::parse_suggest(request.body)
                                                                           : opentsdb::parse_suggest(request.query));
  return json_of_query(parts.engine, request, false, [&](query::UnderWay& query) {
    return opentsdb_suggest(parts.engine.series(), request.tenant, wanted, query);
  });
}

Result<Response> look_up(const OpentsdbParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto wanted, request.method == Method::post ? opentsdb::parse_lookup(request.body)
                                                                           : opentsdb::parse_lookup(request.query));
  return json_of_query(parts.engine, request, false, [&](query::UnderWay& query) {
    return opentsdb_lookup(parts.engine, request.tenant, wanted, query);
  });
}

}  // namespace varve::api
