// SPDX-License-Identifier: Apache-2.0
// What KairosDB's queries and deletes share: answers and errors in its shape.
#pragma once

#include <string>

#include "api/shared/http.h"
#include "base/result.h"
#include "protocol/kairosdb/query.h"
#include "query/request.h"

namespace varve::api {

// With the headers that KairosDB puts on every answer, also on one without a body.
Response kairosdb_response(int status, std::string body = {});
// Which KairosDB we answer as, in the form that its clients look for, and which varve we are.
std::string kairosdb_version(const std::string& own);
// {"errors":["…"]}
Response kairosdb_error(int status, std::string_view message, std::string_view path = {});

}  // namespace varve::api
