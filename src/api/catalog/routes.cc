// SPDX-License-Identifier: Apache-2.0
#include "api/catalog/routes.h"

#include "api/catalog/catalog.h"

namespace varve::api {

void add_catalog_routes(Router& router, const Context& context) {
  add_catalog(router, {context.queries, context.query_pool, context.metrics, context.is_counter});
}

}  // namespace varve::api
