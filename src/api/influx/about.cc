// SPDX-License-Identifier: Apache-2.0
// What InfluxDB's clients ask to learn whether it is there, and which version it is.
#include <utility>

#include "api/influx/handlers.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

std::string influx_health(const InfluxParts& parts) {
  const std::string refusing = parts.refusing ? parts.refusing() : std::string();
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object()
      .member("name", "varve")
      .member("message", refusing.empty() ? "ready for queries and writes" : "ready for queries; " + refusing);
  json.member("status", "pass").key("checks").begin_array().end_array();
  json.member("version", parts.version).end_object();
  return body;
}

}  // namespace

InfluxParts::InfluxParts(const Context& context)
    : writer(context.writer),
      clock(context.clock),
      version("1.8.0 (varve " + context.version + ")"),
      refusing(context.refusing) {}

void ping(const InfluxParts& parts, const Request& request, const Responder& answer) {
  Response response = Response::empty(204);
  if (request.param("verbose").value_or("false") == "true") {
    std::string body;
    protocol::json::Writer(body).begin_object().member("version", parts.version).end_object();
    response = Response::json(200, std::move(body));
  }
  response.headers = {{"X-Influxdb-Version", parts.version}, {"X-Influxdb-Build", "OSS"}};
  answer(std::move(response));
}

void show_influx_health(const InfluxParts& parts, const Request&, const Responder& answer) {
  answer(Response::json(200, influx_health(parts)));
}

}  // namespace varve::api
