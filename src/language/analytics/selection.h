// SPDX-License-Identifier: Apache-2.0
// What rows of the answer have, and their order: `select_fields`, `aggregate`, `sort_fields`, `sort`.
#pragma once

#include "language/analytics/members.h"
#include "language/analytics/query.h"

namespace varve::language::analytics {

// Fills select, sort, sort_down and counts of the query, whose table is known. Errors as of parse_query.
Status parse_selection(const Node& body, const Context& context, AnalyticsQuery& query);

}  // namespace varve::language::analytics
