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

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/analytics/answering.h"
#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// The time of a tenant's oldest message, if there is one. `check`: may it go on?
Result<std::optional<std::int64_t>> oldest_message(const MessageSource& source, const std::string& tenant,
                                                   std::function<Status()> check);

void add_analytics_schema(Router& router, const Context& context, const MessageSource& source);

}  // namespace varve::api
