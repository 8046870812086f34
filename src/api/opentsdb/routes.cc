// SPDX-License-Identifier: Apache-2.0
#include "api/opentsdb/routes.h"

#include "api/opentsdb/query.h"
#include "api/shared/ingest.h"

namespace varve::api {

void add_opentsdb_routes(Router& router, const Context& context) {
  const IngestContext ingest{context.writer, context.clock, context.metrics, context.version, context.tenant_tag};
  add_opentsdb_ingest(router, ingest);
  add_opentsdb_query(router, context.queries, context.query_pool, context.metrics, context.version);
}

}  // namespace varve::api
