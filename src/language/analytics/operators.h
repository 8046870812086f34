// SPDX-License-Identifier: Apache-2.0
// One term of `where` or `filter`: {"name":…,"value":…,"op":1…9,"value2":…}.
#pragma once

#include "language/analytics/members.h"
#include "language/analytics/query.h"

namespace varve::language::analytics {

// Errors as of parse_query, without the place.
Result<Ask> parse_ask(const Node& node, const Table& table, const Context& context);

}  // namespace varve::language::analytics
