// SPDX-License-Identifier: Apache-2.0
// The families of APIs that this server has: the one list of them.
#pragma once

#include "api/esmond/routes.h"
#include "api/kairosdb/tasks.h"
#include "api/shared/context.h"
#include "api/snmp/inventory.h"
#include "config/config.h"
#include "http/router.h"

namespace varve::server {

// Every family's routes; those that the roles do not have are left out.
http::Router make_routes(const config::Roles& roles, const api::Context& context, const api::TasksContext& tasks,
                         const api::SnmpContext& snmp, const api::EsmondContext& esmond);

}  // namespace varve::server
