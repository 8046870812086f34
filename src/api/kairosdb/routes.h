// SPDX-License-Identifier: Apache-2.0
// All routes of KairosDB but those of its roll-up tasks (tasks.h).
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

void add_kairosdb_routes(Router& router, const Context& context);

}  // namespace varve::api
