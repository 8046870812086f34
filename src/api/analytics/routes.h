// SPDX-License-Identifier: Apache-2.0
// Routes of Contrail's analytics API.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST /analytics/query
void add_analytics_routes(Router& router, const Context& context);

}  // namespace varve::api
