// SPDX-License-Identifier: Apache-2.0
// `where` and `filter` of a query, and the message condition that they make.
#pragma once

#include "language/analytics/members.h"
#include "language/analytics/query.h"

namespace varve::language::analytics {

// Lists of lists of terms; a filter may be one list of terms, and nothing is fulfilled by all. `terms` counts them.
Result<Groups> parse_where(const Node& node, const Table& table, const Context& context, std::size_t& terms);
Result<Groups> parse_filter(const Node& node, const Table& table, const Context& context, std::size_t& terms);

// What messages with a row that fulfils the groups fulfil.
message::Condition condition_of(const Groups& groups);

// The message is of a kind that fills ObjectLog (object, uve, alarm), or of none of these.
message::Condition fills_object_log(bool fills);

// A row of this table is there for the message: it names an object of the type, and is no trace.
message::Condition in_table(const Table& table);

}  // namespace varve::language::analytics
