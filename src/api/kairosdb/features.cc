// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/features.h"

#include "api/kairosdb/kairosdb_parts.h"
#include "protocol/kairosdb/datapoints.h"
#include "protocol/kairosdb/features.h"

namespace varve::api {
namespace kairosdb = protocol::kairosdb;

void add_kairosdb_features(Router& router) {
  router.add(Method::get, "/api/v1/features", [](const Request&, const Responder& respond) {
    respond(kairosdb_response(200, kairosdb::features_json()));
  });
  router.add(Method::get, "/api/v1/features/{name}", [](const Request& request, const Responder& respond) {
    const std::string name(request.captured("name"));
    if (auto json = kairosdb::features_json(name)) return respond(kairosdb_response(200, std::move(*json)));
    const std::string unknown = "Unknown feature '" + name + "'";
    respond(kairosdb_response(404, kairosdb::render_errors({&unknown, 1})));
  });
}

}  // namespace varve::api
