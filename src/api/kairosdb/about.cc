// SPDX-License-Identifier: Apache-2.0
// The few things that KairosDB's clients ask at start, and what query builders read.
#include <string>
#include <utility>

#include "api/kairosdb/handlers.h"
#include "protocol/json/text.h"
#include "protocol/kairosdb/features.h"

namespace varve::api {
namespace {

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

void show_version(const KairosdbParts& parts, const Request&, const Responder& respond) {
  respond(kairosdb_response(200, parts.version));
}

// Only a server whose store is open gets here (see Gate).
void show_health(const KairosdbParts& parts, const Request&, const Responder& respond) {
  respond(kairosdb_response(200, health_status(parts.refusing ? parts.refusing() : std::string())));
}

void say_well(const KairosdbParts&, const Request&, const Responder& respond) { respond(kairosdb_response(204)); }

void list_features(const KairosdbParts&, const Request&, const Responder& respond) {
  respond(kairosdb_response(200, protocol::kairosdb::features_json()));
}

void show_feature(const KairosdbParts&, const Request& request, const Responder& respond) {
  const std::string name(request.captured("name"));
  if (auto json = protocol::kairosdb::features_json(name)) return respond(kairosdb_response(200, std::move(*json)));
  respond(request.error(404, "Unknown feature '" + name + "'"));
}

}  // namespace varve::api
