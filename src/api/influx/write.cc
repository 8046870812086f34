// SPDX-License-Identifier: Apache-2.0
// Influx line protocol, v1 and v2. Good lines are kept, bad ones named by number and reason.
// `db`, `rp`, `org`, `bucket`, `consistency` and credentials are taken and mean nothing: the tenant says where to.
#include <algorithm>

#include "api/influx/error.h"
#include "api/influx/query.h"
#include "api/shared/http.h"
#include "api/shared/ingest.h"
#include "protocol/influx/line.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

namespace influx = protocol::influx;

// What a v1 client looks at to know what it may ask.
std::string influx_version(const IngestContext& context) { return "1.8.0 (varve " + context.version + ")"; }

Response refusal(const Request& request, int status, std::string_view message) {
  return request.path.starts_with("/api/v2/") ? influx2_error(status, message) : influx1_error(status, message);
}

// A store that is out of order wants all of it again; a full tenant nothing of it; else the sender is told what was
// bad.
int status_of_rejected(const protocol::Outcome& outcome) {
  if (outcome.count(Code::unavailable) != 0) return 503;
  return outcome.accepted == 0 && outcome.count(Code::limit) == outcome.rejected ? 429 : 400;
}

std::string refused_lines(const protocol::Outcome& outcome) {
  constexpr std::size_t kNamed = 20;
  std::string text = outcome.accepted != 0 ? "partial write: " : "unable to parse: ";
  const std::size_t named = std::min(kNamed, outcome.listed.size());
  for (std::size_t i = 0; i < named; ++i) {
    if (i != 0) text += "; ";
    text += "line " + std::to_string(outcome.listed[i].position) + ": " + outcome.listed[i].reason;
  }
  if (outcome.rejected > named) text += "; and " + std::to_string(outcome.rejected - named) + " more";
  return text + " dropped=" + std::to_string(outcome.rejected);
}

void count_rejected(write::Writer& writer, const protocol::Outcome& outcome) {
  for (std::size_t code = 0; code < outcome.by_code.size(); ++code) {
    if (outcome.by_code[code] != 0) writer.count_rejected(static_cast<Code>(code), outcome.by_code[code]);
  }
}

void write_lines(const IngestContext& context, const Request& request, const Responder& answer) {
  static_assert(http::kBodyPadding >= influx::kBodyPadding);
  if (request.tenant.empty()) return answer(refusal(request, 400, "the request names no tenant"));
  const auto precision = influx::precision_of(request.param("precision").value_or(""));
  if (!precision) return answer(refusal(request, 400, precision.error().message));
  auto ingest = context.writer.open(request.tenant, write::Family::influx);
  if (!ingest) return answer(refusal(request, status_of(ingest.error().code), ingest.error().message));

  const auto outcome =
      influx::parse_lines(request.body, *precision, context.clock.now_ms(), (*ingest)->groups(), (*ingest)->batch());
  Response response = Response::empty(204);
  if (outcome.rejected != 0) {
    count_rejected(context.writer, outcome);
    response = refusal(request, status_of_rejected(outcome), refused_lines(outcome));
  }
  context.writer.commit(
      std::move(*ingest), [answer, &request, response = std::move(response)](const Status& status) mutable {
        // The request lives until it is answered.
        answer(status ? std::move(response) : refusal(request, status_of(status.error().code), status.error().message));
      });
}

void ping(const IngestContext& context, const Request& request, const Responder& answer) {
  Response response = Response::empty(204);
  if (request.param("verbose").value_or("false") == "true") {
    std::string body;
    protocol::json::Writer(body).begin_object().member("version", influx_version(context)).end_object();
    response = Response::json(200, std::move(body));
  }
  response.headers = {{"X-Influxdb-Version", influx_version(context)}, {"X-Influxdb-Build", "OSS"}};
  answer(std::move(response));
}

std::string health(const IngestContext& context) {
  const std::string refusing = context.refusing ? context.refusing() : std::string();
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object()
      .member("name", "varve")
      .member("message", refusing.empty() ? "ready for queries and writes" : "ready for queries; " + refusing);
  json.member("status", "pass").key("checks").begin_array().end_array();
  json.member("version", influx_version(context)).end_object();
  return body;
}

}  // namespace

void add_influx_ingest(Router& router, const IngestContext& context) {
  const auto write = [context](const Request& request, const Responder& answer) {
    write_lines(context, request, answer);
  };
  router.add(Method::post, "/write", write, Effect::writes);
  router.add(Method::post, "/api/v2/write", write, Effect::writes);
  const auto pong = [context](const Request& request, const Responder& answer) { ping(context, request, answer); };
  router.add(Method::get, "/ping", pong, Effect::administers);
  router.add(
      Method::get, "/health",
      [context](const Request&, const Responder& answer) { answer(Response::json(200, health(context))); },
      Effect::administers);
  router.add(Method::get, "/query", answer_influx_query);
  router.add(Method::post, "/query", answer_influx_query);
}

}  // namespace varve::api
