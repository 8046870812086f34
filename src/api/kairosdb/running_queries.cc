// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/running_queries.h"

#include <string>

#include "api/kairosdb/kairosdb_parts.h"
#include "api/shared/http.h"
#include "model/instant.h"
#include "protocol/json/number_text.h"
#include "protocol/json/text.h"
#include "protocol/json/tree.h"

namespace varve::api {

namespace {

using protocol::json::append_string;

constexpr std::string_view kKillPath = "/api/v1/admin/killquery/";

// A query in JSON is shown as such, any other text as a string.
void append_query(std::string& out, const std::string& text) {
  protocol::json::Reader reader(text);
  const auto tree = protocol::json::read_strict(reader);
  if (tree && tree->kind == protocol::json::Kind::object) {
    out += text;
  } else {
    append_string(out, text);
  }
}

void append_running(std::string& out, const query::RunningQuery& running) {
  std::string metrics;
  for (const std::string& metric : running.metrics) metrics.append(metrics.empty() ? "" : ",").append(metric);
  out += R"({"query hash":)";
  append_string(out, running.id);
  out += R"(,"metric name":)";
  append_string(out, metrics);
  out += R"(,"query JSON":)";
  append_query(out, running.text);
  out += R"(,"api":)";
  append_string(out, running.api);
  out += R"(,"started":")";
  model::append_instant(out, running.started_ms);
  out += R"(","seconds":)";
  protocol::json::append_double(out, running.seconds);
  out += R"(,"samples":)" + std::to_string(running.read.samples);
  out += R"(,"chunks":)" + std::to_string(running.read.chunks);
  out += R"(,"windows":)" + std::to_string(running.read.windows_in_all());
  out += R"(,"bytes":)" + std::to_string(running.bytes) + '}';
}

void list(const query::Engine& engine, const TaskPool& pool, const Request& request, const Responder& respond) {
  if (request.tenant.empty()) return respond(error_response(400, "the request names no tenant", request.path));
  std::string body = R"({"queries":[)";
  const auto running = engine.running().list(request.tenant);
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (i != 0) body += ',';
    append_running(body, running[i]);
  }
  body += R"(],"queries waiting":)" + std::to_string(pool.waiting()) + '}';
  respond(kairosdb_response(200, std::move(body)));
}

// KairosDB says 204 to a GET whether there is such a query or not; DELETE tells.
void kill(const query::Engine& engine, const Request& request, const Responder& respond) {
  if (request.tenant.empty()) return respond(error_response(400, "the request names no tenant", request.path));
  const std::string id = request.path.substr(kKillPath.size());
  const bool found = engine.running().kill(request.tenant, id);
  if (!found && request.method == Method::delete_) {
    return respond(error_response(404, "there is no running query '" + id.substr(0, 100) + "'", request.path));
  }
  respond(kairosdb_response(204));
}

}  // namespace

void add_admin_queries(Router& router, query::Engine& engine, const TaskPool& pool) {
  router.add(
      Method::get, "/api/v1/admin/runningqueries",
      [&engine, &pool](const Request& request, const Responder& respond) { list(engine, pool, request, respond); },
      Effect::administers);
  router.add(Method::get, "/api/v1/datapoints/index",
             [](const Request&, const Responder& respond) { respond(kairosdb_response(204)); });
  const auto killing = [&engine](const Request& request, const Responder& respond) { kill(engine, request, respond); };
  router.add_changing_get(std::string(kKillPath) + "{id}", killing, Effect::administers);
  router.add(Method::delete_, std::string(kKillPath) + "{id}", killing, Effect::administers);
}

}  // namespace varve::api
