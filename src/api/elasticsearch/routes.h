// SPDX-License-Identifier: Apache-2.0
// What senders of Elasticsearch's bulk requests need of its API.
#pragma once

#include <string_view>

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST and PUT /_bulk, /{index}/_bulk, /{index}/{type}/_bulk, and what clients ask before; all below /elasticsearch,
// too.
void add_elasticsearch_routes(Router& router, const Context& context);

// GET /_cat/health, /elasticsearch/, …
void add_elasticsearch_start(Router& router, const Context& context);

// {"error":{…},"status":400}
Response elasticsearch_error(int status, std::string_view message, std::string_view path = {});

// Clients of version 8 look for it in every answer.
Response with_product(Response response);

}  // namespace varve::api
