// SPDX-License-Identifier: Apache-2.0
// What senders of Elasticsearch's bulk requests need of its API.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST and PUT /_bulk, /{index}/_bulk, /{index}/{type}/_bulk, and what clients ask before; all below /elasticsearch,
// too.
void add_elasticsearch_routes(Router& router, const Context& context);

}  // namespace varve::api
