// SPDX-License-Identifier: Apache-2.0
// KairosDB's query language → the engine's request.
#pragma once

#include <string>
#include <string_view>

#include "protocol/kairosdb/query.h"
#include "query/request.h"

namespace varve::http {

// `text`: the query in the asker's words.
Result<query::Request> compile(const protocol::kairosdb::Query& query, const std::string& tenant,
                               std::string_view text);

}  // namespace varve::http
