// SPDX-License-Identifier: Apache-2.0
// All routes of InfluxDB.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

void add_influx_routes(Router& router, const Context& context);

}  // namespace varve::api
