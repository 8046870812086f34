// SPDX-License-Identifier: Apache-2.0
// All routes of Prometheus.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

void add_prometheus_routes(Router& router, const Context& context);

}  // namespace varve::api
