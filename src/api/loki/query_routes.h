// SPDX-License-Identifier: Apache-2.0
// Routes of Loki's API that answer questions about messages; docs/protocols/loki-query.md.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// All of them. Where the engine keeps no messages there are none.
void add_loki_query_routes(Router& router, const Context& context);

}  // namespace varve::api
