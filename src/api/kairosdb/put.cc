// SPDX-License-Identifier: Apache-2.0
// KairosDB's put (all or nothing) and the few things its clients ask at start.
#include "api/kairosdb/kairosdb_parts.h"
#include "api/shared/http.h"
#include "api/shared/ingest.h"
#include "protocol/json/text.h"
#include "protocol/kairosdb/datapoints.h"

namespace varve::api {
namespace {

namespace kairosdb = protocol::kairosdb;

Response errors(Code code, std::span<const std::string> list) {
  return with_retry(kairosdb_response(status_of(code), kairosdb::render_errors(list)));
}

void put_datapoints(const IngestContext& context, const Request& request, const Responder& answer) {
  if (request.tenant.empty()) return answer(error_response(400, "the request names no tenant"));
  auto ingest = context.writer.open(request.tenant, write::Family::kairosdb);
  if (!ingest) return answer(error_response(ingest.error()));
  const auto rejection = kairosdb::parse_datapoints(request.body, (*ingest)->groups(), (*ingest)->batch());
  if (!rejection.none()) {
    context.writer.count_rejected(Code::too_old, rejection.too_old);
    context.writer.count_rejected(rejection.code, rejection.errors.size() - rejection.too_old);
    return answer(errors(rejection.code, rejection.errors));
  }
  context.writer.commit(std::move(*ingest), [answer](const Status& status) {
    answer(status ? kairosdb_response(204) : error_response(status.error()));
  });
}

// The names are those that KairosDB's clients look for; that writes are refused is one of ours.
std::string health_status(const std::string& refusing) {
  std::string out = R"(["JVM-Thread-Deadlock: OK","Datastore-Query: OK")";
  if (!refusing.empty()) {
    out += ',';
    protocol::json::append_string(out, "Writes: FAIL: " + refusing);
  }
  return out += ']';
}

}  // namespace

void add_kairosdb_ingest(Router& router, const IngestContext& context) {
  router.add(
      Method::post, "/api/v1/datapoints",
      [context](const Request& request, const Responder& answer) { put_datapoints(context, request, answer); },
      Effect::writes);
}

void add_kairosdb_health(Router& router, const IngestContext& context) {
  std::string version = "{\"version\":";
  protocol::json::append_string(version, kairosdb_version(context.version));
  version += '}';
  router.add(
      Method::get, "/api/v1/version",
      [version](const Request&, const Responder& answer) { answer(kairosdb_response(200, version)); },
      Effect::administers);
  // Only a server whose store is open gets here (see Gate).
  router.add(
      Method::get, "/api/v1/health/status",
      [refusing = context.refusing](const Request&, const Responder& answer) {
        answer(kairosdb_response(200, health_status(refusing ? refusing() : std::string())));
      },
      Effect::administers);
  router.add(
      Method::get, "/api/v1/health/check",
      [](const Request&, const Responder& answer) { answer(kairosdb_response(204)); }, Effect::administers);
}

}  // namespace varve::api
