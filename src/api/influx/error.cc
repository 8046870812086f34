// SPDX-License-Identifier: Apache-2.0
#include "api/influx/error.h"

#include <string>

#include "protocol/json/text.h"

namespace varve::api {
namespace {

std::string_view influx2_code(int status) {
  switch (status) {
    case 404: return "not found";
    case 413: return "request too large";
    case 429: return "too many requests";
    case 503: return "unavailable";
    default: return status < 500 ? "invalid" : "internal error";
  }
}

}  // namespace

Response influx1_error(int status, std::string_view message, std::string_view) {
  std::string body = R"({"error":)";
  protocol::json::append_string(body, message);
  return with_retry(Response::json(status, body + "}"));
}

Response influx2_error(int status, std::string_view message, std::string_view) {
  std::string body = R"({"code":")" + std::string(influx2_code(status)) + R"(","message":)";
  protocol::json::append_string(body, message);
  return with_retry(Response::json(status, body + "}"));
}

}  // namespace varve::api
