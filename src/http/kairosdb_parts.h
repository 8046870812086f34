// SPDX-License-Identifier: Apache-2.0
// What KairosDB's queries and deletes share: answers and errors in its shape, and tag filters as matchers.
#pragma once

#include <string>

#include "base/result.h"
#include "http/handler.h"
#include "protocol/kairosdb/query.h"
#include "query/request.h"

namespace varve::http {

// With the headers that KairosDB puts on every answer, also on one without a body.
Response kairosdb_response(int status, std::string body = {});
// Which KairosDB we answer as, in the form that its clients look for, and which varve we are.
std::string kairosdb_version(const std::string& own);
// {"errors":["…"]} with the status of a query's error.
Response kairosdb_error(const Error& error);
Response kairosdb_error(int status, const std::string& message);

// A value behind "regex:" is an expression; plain ones beside it become one as well, since one matcher holds one.
Status add_matchers(index::Matchers& matchers, const protocol::kairosdb::TagFilter& filter);

}  // namespace varve::http
