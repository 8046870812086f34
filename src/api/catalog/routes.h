// SPDX-License-Identifier: Apache-2.0
// All routes of the catalog.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

void add_catalog_routes(Router& router, const Context& context);

}  // namespace varve::api
