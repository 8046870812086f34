// SPDX-License-Identifier: Apache-2.0
// Loki's way in.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST /loki/api/v1/push
void add_loki_push_routes(Router& router, const Context& context);

}  // namespace varve::api
