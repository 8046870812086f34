// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/error.h"

#include "protocol/json/writer.h"

namespace varve::api {

Response esmond_error(int status, std::string_view message, const Request&) {
  std::string out;
  protocol::json::Writer(out).begin_object().member("error", message).end_object();
  Response response = with_retry(esmond_json(status, std::move(out)));
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Token");
  return response;
}

}  // namespace varve::api
