// SPDX-License-Identifier: Apache-2.0
// HistoryExpiry: erases what is older than histories are kept, of a few devices at a time, of each once a day.
#pragma once

#include <string>
#include <utility>

#include "snmp/inventory/history_store.h"
#include "snmp/inventory/inventory_store.h"

namespace varve::snmp::inventory {

// For one thread.
class HistoryExpiry {
 public:
  // `histories` outlives it.
  HistoryExpiry(HistoryStore& histories, std::int64_t kept_ms) : histories_(histories), kept_ms_(kept_ms) {}

  // Every few seconds. Errors: those of HistoryStore; the next turn goes on behind that device.
  Status turn(const Inventories& inventories, model::Timestamp now_ms);

  static constexpr std::size_t kTurns = 1000;  // that all devices take

 private:
  HistoryStore& histories_;
  const std::int64_t kept_ms_;
  model::Timestamp round_ms_ = model::kTimestampMin;  // when this round began
  bool is_over_ = true;                               // this round
  std::pair<std::string, std::string> last_ = {};     // tenant and device
};

}  // namespace varve::snmp::inventory
