// SPDX-License-Identifier: Apache-2.0
#include "api/opentsdb/error.h"

#include <string>

#include "protocol/json/writer.h"

namespace varve::api {

Response opentsdb_error(int status, std::string_view message, const Request&) {
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object().key("error").begin_object().member("code", status).member("message", message);
  json.end_object().end_object();
  return with_retry(Response::json(status, std::move(body)));
}

}  // namespace varve::api
