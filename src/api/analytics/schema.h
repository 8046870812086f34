// SPDX-License-Identifier: Apache-2.0
// What there is to ask for: tables, their columns, the values of these, and since when.
//   GET /analytics
//   GET /analytics/tables
//   GET /analytics/table/{table}
//   GET /analytics/table/{table}/schema
//   GET /analytics/table/{table}/column-values
//   GET /analytics/table/{table}/column-values/{column}
//   GET /analytics/operation/analytics-data-start-time
#pragma once

#include "api/analytics/answering.h"
#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

void add_analytics_schema(Router& router, const Context& context, const MessageSource& source);

}  // namespace varve::api
