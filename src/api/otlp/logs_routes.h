// SPDX-License-Identifier: Apache-2.0
// OTLP over HTTP: logs.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST /v1/logs
void add_otlp_logs_routes(Router& router, const Context& context);

}  // namespace varve::api
