// SPDX-License-Identifier: Apache-2.0
#include "api/influx/error.h"

#include <string>

#include "protocol/json/writer.h"

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

Response influx1_error(int status, std::string_view message, const Request&) {
  std::string body;
  protocol::json::Writer(body).begin_object().member("error", message).end_object();
  return with_retry(Response::json(status, std::move(body)));
}

Response influx2_error(int status, std::string_view message, const Request&) {
  std::string body;
  protocol::json::Writer(body)
      .begin_object()
      .member("code", influx2_code(status))
      .member("message", message)
      .end_object();
  return with_retry(Response::json(status, std::move(body)));
}

}  // namespace varve::api
