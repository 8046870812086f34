// SPDX-License-Identifier: Apache-2.0
#include "http/opentsdb_query.h"

#include <memory>
#include <utility>

#include "http/answer.h"
#include "http/opentsdb_answer.h"
#include "http/opentsdb_compile.h"
#include "http/opentsdb_names.h"
#include "http/query_answer.h"
#include "http/query_metrics.h"
#include "protocol/opentsdb/query.h"
#include "protocol/opentsdb/query_names.h"

namespace varve::http {

namespace {

namespace opentsdb = protocol::opentsdb;

Response error_answer(const Request& request, const Error& error) {
  return error_response(query_status_of(error.code), error.message, request.path);
}

Response response_or_error(const Request& request, Result<Response> response) {
  return response ? std::move(*response) : error_answer(request, response.error());
}

// What work(query::UnderWay&) finds as JSON, for a query of its own; `reads`: samples, so that it says how many.
template <class Work>
Result<Response> json_of_query(const query::Engine& engine, const Request& request, bool reads, const Work& work) {
  VARVE_TRY(auto query, begin_query(engine, request, "opentsdb"));
  VARVE_TRY(auto body, query->explain(work(*query)));
  Response response = Response::json(200, std::move(body));
  if (reads) response = with_read(std::move(response), query->ticket().read());
  return held_by(std::move(query), std::move(response));
}

class OpentsdbQueries {
 public:
  OpentsdbQueries(const query::Engine& engine, TaskPool& pool, Metrics& metrics, std::string version)
      : engine_(engine),
        pool_(pool),
        version_(std::move(version)),
        queries_(queries_asked(metrics, "opentsdb")),
        name_queries_(queries_asked(metrics, "opentsdb_names")),
        seconds_(query_seconds(metrics)) {}

  using Run = Response (OpentsdbQueries::*)(const Request&);
  // A handler that runs the method on the pool. `self` keeps the object as long as a task may use it.
  static Handler on_pool(std::shared_ptr<OpentsdbQueries> self, Run method) {
    return [self = std::move(self), method](const Request& request, const Responder& respond) {
      if (request.tenant.empty()) {
        return respond(error_answer(request, {Code::invalid, "the request names no tenant"}));
      }
      const auto run = [self, method, &request, respond] {
        const std::int64_t start_ns = self->engine_.clock().steady_ns();
        Response response = (*self.*method)(request);
        self->seconds_.observe(static_cast<double>(self->engine_.clock().steady_ns() - start_ns) * 1e-9);
        respond(std::move(response));
      };
      if (!self->pool_.post(run)) {
        respond(error_answer(request, {Code::unavailable, "too many queries are waiting"}));
      }
    };
  }

  Response query(const Request& request) {
    queries_.add();
    const std::int64_t now = engine_.clock().now_ms();
    auto parsed = request.method == Method::post ? opentsdb::parse_query(request.body, request.query, now)
                                                 : opentsdb::parse_query(request.query, now);
    if (!parsed) return error_answer(request, parsed.error());
    auto compiled = opentsdb_request(*parsed, request.tenant, engine_.series());
    if (!compiled) return error_answer(request, compiled.error());
    compiled->text = request.method == Method::post ? std::string(request.body) : text_of(request.query);
    auto found = engine_.run(*compiled, request.gone.get());
    if (!found) return error_answer(request, found.error());
    auto held = found->held;
    Response response = with_read(Response::json(200, ""), found->read);
    const auto text = std::make_shared<OpentsdbAnswer>(std::move(*parsed), std::move(*found));
    return response_or_error(request, streamed(std::move(held), std::move(response), text));
  }

  Response last(const Request& request) {
    queries_.add();
    const auto wanted =
        request.method == Method::post ? opentsdb::parse_last(request.body) : opentsdb::parse_last(request.query);
    if (!wanted) return error_answer(request, wanted.error());
    return response_or_error(request, json_of_query(engine_, request, true, [&](query::UnderWay& query) {
                               return opentsdb_last(engine_, request.tenant, *wanted, query);
                             }));
  }

  Response suggest(const Request& request) {
    name_queries_.add();
    const auto wanted =
        request.method == Method::post ? opentsdb::parse_suggest(request.body) : opentsdb::parse_suggest(request.query);
    if (!wanted) return error_answer(request, wanted.error());
    return response_or_error(request, json_of_query(engine_, request, false, [&](query::UnderWay& query) {
                               return opentsdb_suggest(engine_.series(), request.tenant, *wanted, query);
                             }));
  }

  Response lookup(const Request& request) {
    name_queries_.add();
    const auto wanted =
        request.method == Method::post ? opentsdb::parse_lookup(request.body) : opentsdb::parse_lookup(request.query);
    if (!wanted) return error_answer(request, wanted.error());
    return response_or_error(request, json_of_query(engine_, request, false, [&](query::UnderWay& query) {
                               return opentsdb_lookup(engine_, request.tenant, *wanted, query);
                             }));
  }

  [[nodiscard]] const std::string& version() const { return version_; }

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
  TaskPool& pool_;
  const std::string version_;
  Counter& queries_;
  Counter& name_queries_;
  Histogram& seconds_;
};

bool is_of_ceres(const Request& request) {
  return request.param("metricName").has_value() || request.param("metricGroup").has_value();
}

Handler either(Handler ceres, Handler opentsdb) {
  return [ceres = std::move(ceres), opentsdb = std::move(opentsdb)](const Request& request, Responder respond) {
    if (!is_of_ceres(request)) return opentsdb(request, std::move(respond));
    if (ceres) return ceres(request, std::move(respond));
    respond(error_answer(request, {Code::unsupported, "queries by metricName or metricGroup are not served here"}));
  };
}

Handler constant(std::string body) {
  return [body = std::move(body)](const Request&, const Responder& respond) { respond(Response::json(200, body)); };
}

}  // namespace

void add_opentsdb_query(Router& router, const query::Engine& engine, TaskPool& pool, Metrics& metrics,
                        std::string version, Handler ceres) {
  const auto handlers = std::make_shared<OpentsdbQueries>(engine, pool, metrics, std::move(version));
  const Handler query = OpentsdbQueries::on_pool(handlers, &OpentsdbQueries::query);
  router.add(Method::get, "/api/query", either(std::move(ceres), query));
  router.add(Method::post, "/api/query", query);
  for (const Method method : {Method::get, Method::post}) {
    router.add(method, "/api/query/last", OpentsdbQueries::on_pool(handlers, &OpentsdbQueries::last));
    router.add(method, "/api/suggest", OpentsdbQueries::on_pool(handlers, &OpentsdbQueries::suggest));
    router.add(method, "/api/search/lookup", OpentsdbQueries::on_pool(handlers, &OpentsdbQueries::lookup));
    router.add(method, "/api/aggregators", constant(opentsdb_aggregators()));
    router.add(method, "/api/config/filters", constant(opentsdb_filters()));
    router.add(method, "/api/version", constant(opentsdb_version(handlers->version())), Effect::administers);
  }
}

}  // namespace varve::http
