// SPDX-License-Identifier: Apache-2.0
// All routes of the administration but those that answer before the store is open (operations.h).
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

void add_admin_routes(Router& router, const Context& context);

}  // namespace varve::api
