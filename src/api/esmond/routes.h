// SPDX-License-Identifier: Apache-2.0
// esmond's REST API, of both its versions, as its clients ask it. docs/http/esmond.md.
#pragma once

#include "api/esmond/keys.h"
#include "api/shared/context.h"
#include "api/shared/http.h"
#include "snmp/inventory/history_store.h"
#include "snmp/inventory/inventory_store.h"

namespace varve::api {

// All outlive the router's server.
struct EsmondContext {
  snmp::inventory::InventoryStore& inventory;
  const snmp::inventory::HistoryStore& history;
  const EsmondKeys& keys;
};

void add_esmond_routes(Router& router, const Context& context, const EsmondContext& esmond);

}  // namespace varve::api
