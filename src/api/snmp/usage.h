// SPDX-License-Identifier: Apache-2.0
// What interfaces carried, over HTTP.
//   GET /api/v1/snmp/usage?…      usage_question.h has its parameters
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"
#include "api/snmp/inventory.h"

namespace varve::api {

void add_snmp_usage(Router& router, const Context& context, const SnmpContext& snmp);

}  // namespace varve::api
