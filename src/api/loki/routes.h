// SPDX-License-Identifier: Apache-2.0
// Routes of Loki's API; docs/protocols/loki-query.md.
#pragma once

#include "api/loki/asking.h"
#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// All of them. Where the engine keeps no messages there are none.
void add_loki_routes(Router& router, const Context& context);

// Those that answer questions; tails only where the context has news.
void add_loki_questions(Router& router, const LokiContext& context);

}  // namespace varve::api
