// SPDX-License-Identifier: Apache-2.0
#include "api/ceres/routes.h"

#include "api/ceres/query.h"
#include "api/shared/deletes.h"

namespace varve::api {

void add_ceres_routes(Router& router, const Context& context) {
  const CeresContext ceres{context.queries, context.query_pool, context.metrics, context.retentions};
  add_ceres_query(router, ceres);
  add_ceres_metadata(router, ceres);
  add_ceres_delete(router, {context.queries, context.series, context.samples, context.slow_pool, context.metrics});
}

}  // namespace varve::api
