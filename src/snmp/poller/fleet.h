// SPDX-License-Identifier: Apache-2.0
// Fleet: which devices are polled here, with everything that their polls need, made of the inventories of all tenants.
// Pure but for the plans that it keeps between two looks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "snmp/inventory/inventory_store.h"
#include "snmp/walk/plan.h"

namespace varve::snmp::poller {

// tenant, device
using DeviceKey = std::pair<std::string, std::string>;

struct Member {
  inventory::HostPort address = {};
  std::string credential = {};  // its name
  std::vector<std::shared_ptr<const walk::Plan>> plans = {};
  bool operator==(const Member&) const = default;
};
using Members = std::map<DeviceKey, Member>;

// All devices are spread over so many partitions, which replicas divide among themselves.
inline constexpr std::uint32_t kPartitions = 256;
std::uint32_t partition_of(std::string_view tenant, std::string_view device);

// For one thread.
class Fleet {
 public:
  // Those to be polled now. `owns`: is this partition polled here? Equal definitions give the same plans as before.
  Members members(const inventory::Inventories& inventories, const std::function<bool(std::uint32_t)>& owns,
                  model::Timestamp now_ms);
  // When the begin or the end of a device will have changed the last ones; kTimestampMax: never.
  [[nodiscard]] model::Timestamp changes_at() const { return changes_at_; }

 private:
  std::shared_ptr<const walk::Plan> plan_of(const inventory::Inventory& inventory, const std::string& tenant,
                                            const std::string& oidset);

  std::map<std::pair<std::string, std::string>, std::shared_ptr<const walk::Plan>> plans_;  // tenant, oidset
  model::Timestamp changes_at_ = model::kTimestampMax;
};

// A device of an inventory with these of its oidsets. Empty `oidset`: all. Errors: not_found, invalid.
Result<Member> member_of(const inventory::Inventory& inventory, const inventory::Device& device,
                         std::string_view oidset);

}  // namespace varve::snmp::poller
