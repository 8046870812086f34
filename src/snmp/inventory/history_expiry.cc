// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/history_expiry.h"

namespace varve::snmp::inventory {

Status HistoryExpiry::turn(const Inventories& inventories, model::Timestamp now_ms) {
  if (is_over_) {
    if (now_ms >= round_ms_ && now_ms - model::kDayMs < round_ms_) return {};
    round_ms_ = now_ms;
    is_over_ = false;
    last_ = {};
  }
  std::size_t devices = 0;
  for (const auto& [tenant, inventory] : inventories) devices += inventory->devices.size();
  std::size_t left = (devices + kTurns - 1) / kTurns;
  for (auto of = inventories.lower_bound(last_.first); of != inventories.end(); ++of) {
    const auto& list = of->second->devices;
    auto device = of->first == last_.first ? list.upper_bound(last_.second) : list.begin();
    for (; device != list.end(); ++device) {
      if (left-- == 0) return {};
      last_ = {of->first, device->first};
      const auto expired = histories_.expire(of->first, device->first, now_ms - kept_ms_);
      if (!expired) return fail(expired.error());
    }
  }
  is_over_ = true;
  return {};
}

}  // namespace varve::snmp::inventory
