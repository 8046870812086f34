// SPDX-License-Identifier: Apache-2.0
// StatusBoard: what became of the polls of all devices, those of other replicas included: pollers report, answers look.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "snmp/inventory/device_status.h"
#include "storage/passing_texts.h"

namespace varve::snmp::inventory {

// All methods are thread-safe.
class StatusBoard {
 public:
  static constexpr std::uint32_t kShares = 64;  // texts that replicas exchange

  // `shared`: nullptr where there is one replica. It must outlive this.
  explicit StatusBoard(storage::PassingTexts* shared) : shared_(shared) {}

  // Does not block.
  void report(const std::string& tenant, const std::string& device, DeviceStatus status);
  // The device is no longer polled here.
  void forget(const std::string& tenant, const std::string& device);
  // The newest that is known. Unknown: nobody has polled it. Does not block.
  [[nodiscard]] DeviceStatus find(const std::string& tenant, const std::string& device) const;

  // Gives what was reported here to the others, and takes what they gave, unless it is older than two days. Every few
  // seconds; blocks on the texts.
  Status exchange(model::Timestamp now_ms);

 private:
  using Key = std::pair<std::string, std::string>;
  using Statuses = std::map<Key, DeviceStatus>;

  storage::PassingTexts* const shared_;
  mutable Mutex mutex_;
  Statuses own_ VARVE_GUARDED_BY(mutex_);
  Statuses others_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::snmp::inventory
