// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/history_reader.h"

namespace varve::snmp::inventory {

Status HistoryReader::changed(const std::string& tenant, const std::string& device) {
  VARVE_ASSIGN_OR_RETURN(const auto rows, histories_.rows(tenant, device, HistoryKind::interfaces,
                                                          {model::kTimestampMin, model::kTimestampMax}));
  counters_.set_history(tenant, device, rows);
  return {};
}

Status HistoryReader::turn(const Inventories& inventories, const std::stop_token& stopping) {
  std::size_t devices = 0;
  for (const auto& [tenant, inventory] : inventories) {
    devices += inventory->devices.size();
    for (const auto& [device, _] : inventory->devices) {
      if (stopping.stop_requested()) return {};
      if (!counters_.has_history(tenant, device)) VARVE_RETURN_IF_ERROR(changed(tenant, device));
    }
  }
  if (!others_write_) return {};
  std::size_t left = (devices + kRereadTurns - 1) / kRereadTurns;
  for (auto of = inventories.lower_bound(reread_.first); of != inventories.end(); ++of) {
    const auto& list = of->second->devices;
    auto device = of->first == reread_.first ? list.lower_bound(reread_.second) : list.begin();
    for (; device != list.end(); ++device) {
      reread_ = {of->first, device->first};
      if (left == 0 || stopping.stop_requested()) return {};
      --left;
      VARVE_RETURN_IF_ERROR(changed(of->first, device->first));
    }
  }
  reread_ = {};  // from the start again
  return {};
}

}  // namespace varve::snmp::inventory
