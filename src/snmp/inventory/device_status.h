// SPDX-License-Identifier: Apache-2.0
// What became of the polls of a device, and what one poll brought that a person asked for.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "counter/unknown.h"
#include "model/time.h"
#include "snmp/inventory/inventory.h"

namespace varve::snmp::inventory {

enum class DeviceState : std::uint8_t { unknown, up, down };

struct DeviceStatus {
  DeviceState state = DeviceState::unknown;
  std::optional<model::Timestamp> last_poll = {};  // when the last poll ended, well or not
  std::string last_error = {};                     // of it; empty: it was well
  std::size_t interfaces = 0;                      // that it has, as the polls say
  std::vector<std::string> left_out = {};          // of the last polls of its oidsets, and why
  // How often nobody can know by how much a counter grew between two polls, by counter::WhyUnknown; since this replica
  // polls it.
  std::array<std::uint64_t, counter::kWhyUnknown.size()> unknown_increases = {};
  bool operator==(const DeviceStatus&) const = default;
};

// An object as it would be stored.
struct PolledObject {
  std::string metric = {};
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::string oid = {};  // of the instance, dotted
  model::Timestamp time = 0;
  std::variant<std::int64_t, std::uint64_t, double, std::string> value = {};
};

struct PolledSet {
  std::string oidset = {};
  std::vector<PolledObject> objects = {};
  std::vector<std::string> reports = {};  // what was left out, and why: an interface without a name
  std::string error = {};                 // empty: the poll was well
  double seconds = 0;
};

// Polls a tenant's device now, one oidset or (empty) all of its; stores nothing. Blocks. Errors: not_found (the device
// does not have that oidset), invalid (the tenant may not name its credential), unavailable.
using PollNow = std::function<Result<std::vector<PolledSet>>(const std::string& tenant, const Inventory& inventory,
                                                             const Device& device, const std::string& oidset)>;

}  // namespace varve::snmp::inventory
