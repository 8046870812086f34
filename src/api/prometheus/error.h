// SPDX-License-Identifier: Apache-2.0
// Errors of Prometheus' API: {"status":"error","errorType":"bad_data","error":"…"}. Grafana reads the body of 400, 422
// and 503, so what took too long is 503 there, not 504.
#pragma once

#include <string_view>

#include "api/shared/http.h"
#include "base/result.h"

namespace varve::api {

// The shape of its routes: the type follows from the status.
Response prometheus_query_error(int status, std::string_view message, const Request& request);

Response prometheus_failure(int status, std::string_view type, std::string_view message);
// Of a question that was understood, and could not be answered.
Response prometheus_failure_of(const Error& error);

int prometheus_status_of(Code code);

}  // namespace varve::api
