// SPDX-License-Identifier: Apache-2.0
#include "api/prometheus/error.h"

#include <string>
#include <utility>

#include "api/shared/query_answer.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

std::string_view prometheus_type_of(int status) {
  switch (status) {
    case 404: return "not_found";
    case 406: return "not_acceptable";
    case 422: return "execution";
    case 429:
    case 503: return "unavailable";
    default: return status < 500 ? "bad_data" : "internal";
  }
}

}  // namespace

Response prometheus_failure(int status, std::string_view type, std::string_view message) {
  std::string body;
  protocol::json::Writer(body)
      .begin_object()
      .member("status", "error")
      .member("errorType", type)
      .member("error", message)
      .end_object();
  return with_retry(Response::json(status, std::move(body)));
}

Response prometheus_query_error(int status, std::string_view message, const Request&) {
  return prometheus_failure(status, prometheus_type_of(status), message);
}

int prometheus_status_of(Code code) {
  switch (code) {
    case Code::timeout:
    case Code::cancelled: return 503;
    case Code::unsupported: return 400;
    default: return query_status_of(code);
  }
}

Response prometheus_failure_of(const Error& error) {
  switch (error.code) {
    case Code::timeout: return prometheus_failure(503, "timeout", error.message);
    case Code::cancelled: return prometheus_failure(503, "canceled", error.message);
    case Code::invalid:
    case Code::limit:
    case Code::unsupported: return prometheus_failure(422, "execution", error.message);
    default: {
      const int status = prometheus_status_of(error.code);
      return prometheus_failure(status, prometheus_type_of(status), error.message);
    }
  }
}

}  // namespace varve::api
