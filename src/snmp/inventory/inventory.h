// SPDX-License-Identifier: Apache-2.0
// Inventory: what a tenant polls: its devices, and the oidsets and correlators that there are for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "snmp/inventory/correlator.h"
#include "snmp/inventory/device.h"
#include "snmp/inventory/oidset.h"

namespace varve::snmp::inventory {

template <class Of>
using Named = std::map<std::string, Of, std::less<>>;

struct Inventory {
  Named<Device> devices = {};
  Named<Oidset> oidsets = {};          // the tenant's own only, in what is stored; see with_built_in()
  Named<Correlator> correlators = {};  // likewise

  bool operator==(const Inventory&) const = default;
};

// The oidsets and correlators that come with varve.
const Inventory& built_in();

// A definition of the tenant comes before the built-in one of its name.
const Oidset* find_oidset(const Inventory& inventory, std::string_view name);
const Correlator* find_correlator(const Inventory& inventory, std::string_view name);

// Everything that is wrong: `devices.NAME.address: …`, `oidsets.NAME.objects[2].oid: …`; also names that lead nowhere.
std::vector<std::string> faults_of(const Inventory& inventory);

}  // namespace varve::snmp::inventory
