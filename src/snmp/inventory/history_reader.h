// SPDX-License-Identifier: Apache-2.0
// HistoryReader: what the histories of all devices say of their interfaces' speeds, for who asks without waiting.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>

#include "base/result.h"
#include "snmp/inventory/device_counters.h"
#include "snmp/inventory/history_store.h"

namespace varve::snmp::inventory {

// turn() is of one thread; changed() is thread-safe.
class HistoryReader {
 public:
  // Both outlive it. `others_write`: other replicas poll, too.
  HistoryReader(const HistoryStore& histories, DeviceCounters& counters, bool others_write)
      : histories_(histories), counters_(counters), others_write_(others_write) {}

  // Until somebody stops it: reads the histories of devices of which none was read, and, where others write, those of
  // some more, so that each comes up again within kRereadTurns. Errors: those of HistoryStore.
  Status turn(const Inventories& inventories, const std::stop_token& stopping = {});
  // This process has changed it. Errors: as turn().
  Status changed(const std::string& tenant, const std::string& device);

  static constexpr std::size_t kRereadTurns = 100;

 private:
  const HistoryStore& histories_;
  DeviceCounters& counters_;
  const bool others_write_;
  std::pair<std::string, std::string> reread_;  // tenant and device: where the next turn goes on
};

}  // namespace varve::snmp::inventory
