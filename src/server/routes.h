// SPDX-License-Identifier: Apache-2.0
// The families of APIs that this server has: the one list of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/esmond/routes.h"
#include "api/kairosdb/tasks.h"
#include "api/shared/context.h"
#include "api/snmp/inventory.h"
#include "config/config.h"
#include "http/handler.h"

namespace varve::server {

// Every family's routes; those that the roles do not have are left out.
http::Router make_routes(const config::Roles& roles, const api::Context& context, const api::TasksContext& tasks,
                         const api::SnmpContext& snmp, const api::EsmondContext& esmond);

// Of http::ServerOptions.
std::vector<std::pair<std::string, http::ErrorShape>> error_shapes();

}  // namespace varve::server
