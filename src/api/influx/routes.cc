// SPDX-License-Identifier: Apache-2.0
#include "api/influx/routes.h"

#include "api/shared/ingest.h"

namespace varve::api {

void add_influx_routes(Router& router, const Context& context) {
  add_influx_ingest(
      router, {context.writer, context.clock, context.metrics, context.version, context.tenant_tag, context.refusing});
}

}  // namespace varve::api
