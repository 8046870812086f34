// SPDX-License-Identifier: Apache-2.0
#include "api/opentsdb/query.h"

#include <memory>
#include <utility>

#include "api/opentsdb/answer.h"
#include "api/opentsdb/error.h"
#include "api/opentsdb/names.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"
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

class OpentsdbQueries {
 public:
  explicit OpentsdbQueries(const query::Engine& engine) : engine_(engine) {}

  using Work = Result<Response> (OpentsdbQueries::*)(const Request&) const;

  Result<Response> query(const Request& request) const {
    const std::int64_t now = engine_.clock().now_ms();
    VARVE_ASSIGN_OR_RETURN(auto parsed, request.method == Method::post
                                            ? opentsdb::parse_query(request.body, request.query, now)
                                            : opentsdb::parse_query(request.query, now));
    VARVE_ASSIGN_OR_RETURN(auto compiled, language::opentsdb::to_request(parsed, request.tenant, engine_.series()));
    compiled.text = request.method == Method::post ? std::string(request.body) : text_of(request.query);
    VARVE_ASSIGN_OR_RETURN(auto found, engine_.stream(compiled, request.gone));
    auto held = found.answer.held;
    Response response = with_read(Response::json(200, ""), found.answer.read);
    const auto text = std::make_shared<OpentsdbAnswer>(std::move(parsed), std::move(found));
    return streamed(std::move(held), std::move(response), text);
  }

  Result<Response> last(const Request& request) const {
    VARVE_ASSIGN_OR_RETURN(const auto wanted, request.method == Method::post ? opentsdb::parse_last(request.body)
                                                                             : opentsdb::parse_last(request.query));
    return json_of_query(engine_, request, true,
                         [&](query::UnderWay& query) { return opentsdb_last(engine_, request.tenant, wanted, query); });
  }

  Result<Response> suggest(const Request& request) const {
    VARVE_ASSIGN_OR_RETURN(const auto wanted, request.method == Method::post ? opentsdb::parse_suggest(request.body)
                                                                             : opentsdb::parse_suggest(request.query));
    return json_of_query(engine_, request, false, [&](query::UnderWay& query) {
      return opentsdb_suggest(engine_.series(), request.tenant, wanted, query);
    });
  }

  Result<Response> lookup(const Request& request) const {
    VARVE_ASSIGN_OR_RETURN(const auto wanted, request.method == Method::post ? opentsdb::parse_lookup(request.body)
                                                                             : opentsdb::parse_lookup(request.query));
    return json_of_query(engine_, request, false, [&](query::UnderWay& query) {
      return opentsdb_lookup(engine_, request.tenant, wanted, query);
    });
  }

 private:
  static std::string text_of(const std::vector<std::pair<std::string, std::string>>& parameters) {
    std::string out;
    for (const auto& [name, value] : parameters) {
      if (!out.empty()) out += '&';
      out.append(name).append("=").append(value);
    }
    return out;
  }

  const query::Engine& engine_;
};

Handler constant(std::string body) {
  return [body = std::move(body)](const Request&, const Responder& respond) { respond(Response::json(200, body)); };
}

}  // namespace

void add_opentsdb_query(Router& router, const query::Engine& engine, TaskPool& pool, Metrics& metrics,
                        const std::string& version) {
  const auto queries = std::make_shared<OpentsdbQueries>(engine);
  const Endpoint of_samples(pool, {.shape = opentsdb_error}, QueryMetrics(metrics, engine.clock(), "opentsdb"));
  const Endpoint of_names(pool, {.shape = opentsdb_error}, QueryMetrics(metrics, engine.clock(), "opentsdb_names"));
  for (const Method method : {Method::get, Method::post}) {
    const auto add = [&](const char* path, const Endpoint& endpoint, OpentsdbQueries::Work work) {
      router.add(method, path,
                 endpoint.on_pool([queries, work](const Request& request) { return (*queries.*work)(request); }));
    };
    add("/api/query", of_samples, &OpentsdbQueries::query);
    add("/api/query/last", of_samples, &OpentsdbQueries::last);
    add("/api/suggest", of_names, &OpentsdbQueries::suggest);
    add("/api/search/lookup", of_names, &OpentsdbQueries::lookup);
    router.add(method, "/api/aggregators", constant(opentsdb_aggregators()));
    router.add(method, "/api/config/filters", constant(opentsdb_filters()));
    router.add(method, "/api/version", constant(opentsdb_version(version)), Effect::administers);
  }
}

}  // namespace varve::api
