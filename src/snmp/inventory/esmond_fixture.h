// SPDX-License-Identifier: Apache-2.0
// esmond's own fixtures, as Django's `dumpdata` writes them: [{"pk":1,"model":"api.device","fields":{…}}].
#pragma once

#include <string>
#include <vector>

#include "protocol/json/tree.h"
#include "snmp/inventory/inventory.h"
#include "snmp/inventory/json_fields.h"

namespace varve::snmp::inventory {

// Reads devices, oidsets, tags and what belongs to what onto an inventory; as read_import(). Models of other things are
// passed over. Correlators become those of varve; objects get the numbers that varve knows by name.
// A community is a secret, so it is dropped: devices of one community get a credential that is named after the first of
// them, `community-of-NAME`. These names, to be filled in, are appended to `credentials`.
void read_fixture(const protocol::json::Node& root, bool prune, Inventory& onto, std::vector<std::string>& credentials,
                  Faults& faults);

}  // namespace varve::snmp::inventory
