// SPDX-License-Identifier: Apache-2.0
// Routes of messages as JSON.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST /api/v1/messages
void add_message_routes(Router& router, const Context& context);

}  // namespace varve::api
