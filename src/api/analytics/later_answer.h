// SPDX-License-Identifier: Apache-2.0
// Queries that are answered later, over HTTP.
#pragma once

#include <memory>

#include "api/shared/context.h"
#include "api/shared/http.h"
#include "language/analytics/later_queries.h"

namespace varve::api {

// Does the request want its answer later?
bool wants_later(const Request& request);
// 202, and where it will be.
Result<Response> later_answer(language::analytics::LaterQueries& queries, const Request& request);

std::shared_ptr<language::analytics::LaterQueries> make_later_queries(const language::analytics::MessageSource& source,
                                                                      const Context& context);

}  // namespace varve::api
