// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/inventory.h"

namespace varve::snmp::inventory {
namespace {

template <class Of>
const Of* find_in(const Named<Of>& own, const Named<Of>& all, std::string_view name) {
  for (const Named<Of>* const named : {&own, &all}) {
    const auto found = named->find(name);
    if (found != named->end()) return &found->second;
  }
  return nullptr;
}

template <class Of>
void add_faults(const Named<Of>& named, const std::string& kind, std::vector<std::string>& out) {
  for (const auto& [name, of] : named) {
    for (const std::string& fault : faults_of(of)) out.push_back(kind + "." + name + "." + fault);
  }
}

}  // namespace

const Oidset* find_oidset(const Inventory& inventory, std::string_view name) {
  return find_in(inventory.oidsets, built_in().oidsets, name);
}

const Correlator* find_correlator(const Inventory& inventory, std::string_view name) {
  return find_in(inventory.correlators, built_in().correlators, name);
}

std::vector<std::string> faults_of(const Inventory& inventory) {
  std::vector<std::string> out;
  add_faults(inventory.correlators, "correlators", out);
  add_faults(inventory.oidsets, "oidsets", out);
  add_faults(inventory.devices, "devices", out);
  for (const auto& [name, oidset] : inventory.oidsets) {
    if (!oidset.correlator.empty() && find_correlator(inventory, oidset.correlator) == nullptr) {
      out.push_back("oidsets." + name + ".correlator: there is no correlator \"" + oidset.correlator + "\"");
    }
  }
  for (const auto& [name, device] : inventory.devices) {
    for (std::size_t i = 0; i < device.oidsets.size(); ++i) {
      if (find_oidset(inventory, device.oidsets[i]) != nullptr) continue;
      out.push_back("devices." + name + ".oidsets[" + std::to_string(i) + "]: there is no oidset \"" +
                    device.oidsets[i] + "\"");
    }
  }
  return out;
}

}  // namespace varve::snmp::inventory
