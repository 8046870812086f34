// SPDX-License-Identifier: Apache-2.0
// KairosDB's query language → the engine's request.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/time.h"
#include "protocol/kairosdb/query.h"
#include "query/expression.h"
#include "query/request.h"

namespace varve::language::kairosdb {

// `text`: the query in the asker's words.
Result<query::Request> to_request(const protocol::kairosdb::Query& query, const std::string& tenant,
                                  std::string_view text);
// Of a query's JSON. `now`: what relative times are relative to. Errors: invalid.
Result<query::Request> to_request(std::string_view json, const std::string& tenant, model::Timestamp now);

// A value behind "regex:" is an expression; plain ones beside it become one as well, since one matcher holds one.
// Error: invalid (no expression by itself, too many or too large ones).
Status add_matchers(index::Matchers& matchers, const protocol::kairosdb::TagFilter& filter,
                    query::Expressions& expressions);

// Does it have an expression? They are compiled by to_request(), which takes its time then.
bool has_expression(const protocol::kairosdb::Query& query);

}  // namespace varve::language::kairosdb
