// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// POST /api/v1/messages/delete: {"table":…,"start_time":…,"end_time":…,"where":…} → {"deleted":N}
void add_message_delete_route(Router& router, const Context& context);

}  // namespace varve::api
