// SPDX-License-Identifier: Apache-2.0
#include "api/admin/routes.h"

#include "api/admin/operations.h"
#include "api/admin/slots.h"

namespace varve::api {

void add_admin_routes(Router& router, const Context& context) {
  add_admin_slots(router, context.slots, context.series, context.query_pool);
  add_admin_jobs(router, context.ownership, context.query_pool);
  add_settle(router, context.samples, context.slow_pool);
  add_trust_clock(router, context.slots);
}

}  // namespace varve::api
