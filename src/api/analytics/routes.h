// SPDX-License-Identifier: Apache-2.0
// Routes of Contrail's analytics API.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST /analytics/query, the lists of tables and columns, POST /api/v1/messages/delete
void add_analytics_routes(Router& router, const Context& context);

}  // namespace varve::api
