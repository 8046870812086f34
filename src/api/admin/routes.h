// SPDX-License-Identifier: Apache-2.0
// All routes of the administration.
#pragma once

#include <functional>
#include <string>

#include "api/shared/context.h"
#include "api/shared/http.h"
#include "http/gate.h"

namespace varve::api {

void add_admin_routes(Router& router, const Context& context);

// GET /-/healthy, /-/ready, /metrics. For the router that always answers. `refusing`: what else there is to say to who
// asks whether it is ready, such as that writes are refused; may be empty.
void add_health(Router& router, const http::Gate& gate, const Metrics& metrics,
                std::function<std::string()> refusing = nullptr);

}  // namespace varve::api
