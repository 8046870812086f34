// SPDX-License-Identifier: Apache-2.0
// The inventory of SNMP over HTTP. KIND is devices, oidsets or correlators.
//   GET, POST          /api/v1/snmp/KIND                      list; add one
//   GET, PUT, DELETE   /api/v1/snmp/KIND/{name}               PUT changes what it names, and adds
//   POST               /api/v1/snmp/import[?prune=1&check=1]
//   GET                /api/v1/snmp/export
//   POST               /api/v1/snmp/devices/{name}/poll[?oidset=]
#pragma once

#include "api/shared/http.h"
#include "base/clock.h"
#include "base/task_pool.h"
#include "snmp/inventory/device_status.h"
#include "snmp/inventory/history_store.h"
#include "snmp/inventory/inventory_store.h"
#include "snmp/inventory/status_board.h"

namespace varve::api {

// All outlive the router's server.
struct SnmpContext {
  snmp::inventory::InventoryStore& inventory;
  const snmp::inventory::HistoryStore& history;
  const snmp::inventory::StatusBoard& statuses;
  snmp::inventory::PollNow poll_now;  // empty: this process does not poll
  TaskPool& pool;
  const Clock& clock;
};

void add_snmp_inventory(Router& router, const SnmpContext& context);

}  // namespace varve::api
