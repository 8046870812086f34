// SPDX-License-Identifier: Apache-2.0
// OTLP over HTTP: logs.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST /v1/logs
void add_otlp_logs_routes(Router& router, const Context& context);

// google.rpc.Status in the request's type; in JSON where it has another one.
Response otlp_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
