// SPDX-License-Identifier: Apache-2.0
// OTLP over HTTP: metrics.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST /v1/metrics, and as Prometheus has it, POST /api/v1/otlp/v1/metrics
void add_otlp_metrics_routes(Router& router, const Context& context);

}  // namespace varve::api
