// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/running_queries.h"

#include <string>

#include "api/kairosdb/kairosdb_parts.h"
#include "api/shared/http.h"
#include "model/instant.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

using protocol::json::Writer;

constexpr const char* kKillPath = "/api/v1/admin/killquery/{id}";

// A query in JSON is shown as such, any other text as a string.
void append_query(Writer& json, const std::string& text) {
  protocol::json::Reader reader(text);
  const auto tree = protocol::json::read_strict(reader);
  if (tree && tree->kind == protocol::json::Kind::object) {
    json.raw(text);
  } else {
    json.value(text);
  }
}

void append_running(Writer& json, const query::RunningQuery& running) {
  std::string metrics;
  for (const std::string& metric : running.metrics) metrics.append(metrics.empty() ? "" : ",").append(metric);
  json.begin_object().member("query hash", running.id).member("metric name", metrics).key("query JSON");
  append_query(json, running.text);
  json.member("api", running.api).member("started", model::instant(running.started_ms));
  json.member("seconds", running.seconds).member("samples", running.read.samples);
  json.member("chunks", running.read.chunks).member("windows", running.read.windows_in_all());
  json.member("bytes", running.bytes).end_object();
}

void list(const query::Engine& engine, const TaskPool& pool, const Request& request, const Responder& respond) {
  if (request.tenant.empty()) return respond(error_response(400, "the request names no tenant", request.path));
  std::string body;
  Writer json(body);
  json.begin_object().key("queries").begin_array();
  for (const auto& running : engine.running().list(request.tenant)) append_running(json, running);
  json.end_array().member("queries waiting", pool.waiting(request.tenant)).end_object();
  respond(kairosdb_response(200, std::move(body)));
}

// KairosDB says 204 to a GET whether there is such a query or not; DELETE tells.
void kill(const query::Engine& engine, const Request& request, const Responder& respond) {
  if (request.tenant.empty()) return respond(error_response(400, "the request names no tenant", request.path));
  const std::string id(request.captured("id"));
  const bool found = engine.running().kill(request.tenant, id);
  if (!found && request.method == Method::delete_) {
    return respond(kairosdb_error(404, "there is no running query '" + id.substr(0, 100) + "'", request.path));
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
  router.add_changing_get(kKillPath, killing, Effect::administers);
  router.add(Method::delete_, kKillPath, killing, Effect::administers);
}

}  // namespace varve::api
