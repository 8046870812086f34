// SPDX-License-Identifier: Apache-2.0
// From a question about usage to one request for all interfaces: which series there are for it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/time.h"
#include "query/request.h"
#include "snmp/inventory/inventory.h"

namespace varve::language::usage {

enum class UsageField : std::uint8_t { bytes, average, max, p95, utilisation };

struct UsageSort {
  bool by_out = false;  // else by what comes in
  UsageField field = UsageField::bytes;
};

struct UsageQuestion {
  model::TimeRange range = {};  // whole seconds; not empty
  std::int64_t width_ms = 300'000;
  std::vector<std::string> devices = {}, interfaces = {};  // none: all
  std::string alias_part = {};
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::optional<UsageSort> sort = {};
  std::uint64_t limit = 0;
  bool sum = false;
};

// What a metric is in an oidset. The least one is preferred.
struct UsageRole {
  bool is_out = false;
  std::int64_t frequency_ms = 0;
  bool is_stand_in = false;
  std::uint32_t metric = 0;  // its position in the request
  auto operator<=>(const UsageRole&) const = default;
};

// By metric, then by oidset.
using UsageRoles = std::map<std::string, std::map<std::string, UsageRole>>;

// The metrics of all counters whose alias is `in` or `out`, of the tenant's oidsets and the built-in ones.
UsageRoles usage_roles(const snmp::inventory::Inventory& inventory);

// The devices that are asked for; nothing: all, whether the inventory has them or not.
std::optional<std::vector<std::string>> devices_asked_for(const UsageQuestion& question,
                                                          const snmp::inventory::Inventory& inventory);

// The bins of each metric of `roles`, in their order, with their coverage; grouped by device, oidset and interface.
query::Request usage_request(const UsageQuestion& question, const std::string& tenant, const UsageRoles& roles,
                             const std::optional<std::vector<std::string>>& devices);

}  // namespace varve::language::usage
