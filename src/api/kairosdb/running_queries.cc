// SPDX-License-Identifier: Apache-2.0
// What runs now, and an end to it, in the shapes of KairosDB 1.3.
#include <string>

#include "api/kairosdb/handlers.h"
#include "model/instant.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

using protocol::json::Writer;

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

}  // namespace

void list_running_queries(const KairosdbParts& parts, const Request& request, const Responder& respond) {
  std::string body;
  Writer json(body);
  json.begin_object().key("queries").begin_array();
  for (const auto& running : parts.engine.running().list(request.tenant)) append_running(json, running);
  json.end_array().member("queries waiting", parts.query_pool.waiting(request.tenant)).end_object();
  respond(kairosdb_response(200, std::move(body)));
}

// KairosDB says 204 to a GET whether there is such a query or not; DELETE tells.
void kill_query(const KairosdbParts& parts, const Request& request, const Responder& respond) {
  const std::string id(request.captured("id"));
  const bool found = parts.engine.running().kill(request.tenant, id);
  if (!found && request.method == Method::delete_) {
    return respond(request.error(404, "there is no running query '" + id.substr(0, 100) + "'"));
  }
  respond(kairosdb_response(204));
}

}  // namespace varve::api
