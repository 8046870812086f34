// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/routes.h"

#include "api/kairosdb/features.h"
#include "api/kairosdb/metadata.h"
#include "api/kairosdb/query.h"
#include "api/kairosdb/running_queries.h"
#include "api/shared/deletes.h"
#include "api/shared/ingest.h"

namespace varve::api {

void add_kairosdb_routes(Router& router, const Context& context) {
  const IngestContext ingest{context.writer,  context.clock,      context.metrics,
                             context.version, context.tenant_tag, context.refusing};
  add_kairosdb_ingest(router, ingest);
  add_kairosdb_health(router, ingest);
  // What a query saves comes in by it.
  add_kairosdb_query(router, context.queries, context.query_pool, context.metrics,
                     context.takes_samples ? &context.writer : nullptr);
  add_kairosdb_delete(router, {context.queries, context.series, context.samples, context.slow_pool, context.metrics});
  add_kairosdb_features(router);
  add_kairosdb_metadata(router, context.texts, context.query_pool);
  add_admin_queries(router, context.queries, context.query_pool);
}

}  // namespace varve::api
