// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/kairosdb_parts.h"

#include <utility>

#include "api/shared/http.h"
#include "protocol/kairosdb/datapoints.h"

namespace varve::api {

namespace kairosdb = protocol::kairosdb;

Response kairosdb_response(int status, std::string body) {
  Response response = Response::json(status, std::move(body));
  response.content_type = "application/json;charset=utf-8";
  response.headers = {{"Pragma", "no-cache"}, {"Cache-Control", "no-cache"}, {"Expires", "0"}};
  response.pack_small = true;
  return response;
}

std::string kairosdb_version(const std::string& own) { return "KairosDB 1.3.0-1 (varve " + own + ")"; }

Response kairosdb_error(int status, std::string_view message, std::string_view) {
  const std::string text(message);
  return with_retry(kairosdb_response(status, kairosdb::render_errors({&text, 1})));
}

}  // namespace varve::api
