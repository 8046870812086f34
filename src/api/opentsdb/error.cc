// SPDX-License-Identifier: Apache-2.0
#include "api/opentsdb/error.h"

#include <string>

#include "protocol/json/text.h"

namespace varve::api {

Response opentsdb_error(int status, std::string_view message, std::string_view) {
  std::string body = R"({"error":{"code":)" + std::to_string(status) + R"(,"message":)";
  protocol::json::append_string(body, message);
  return with_retry(Response::json(status, body + "}}"));
}

}  // namespace varve::api
