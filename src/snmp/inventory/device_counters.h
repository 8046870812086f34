// SPDX-License-Identifier: Apache-2.0
// DeviceCounters: which series `snmp.*` are counters, by the type that their object has in the oidset of their tag, and
// how fast an interface's octets can be, by its history.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "counter/declared.h"
#include "snmp/inventory/history.h"
#include "snmp/inventory/inventory_store.h"

namespace varve::snmp::inventory {

// A counter of 32 bits that fell may have wrapped, unless the interface would have to be faster than it is by more than
// this: then it began anew. Speeds are often nominal (of tunnels, loopbacks, sub-interfaces), so they judge nothing
// else.
inline constexpr double kSpeedTolerance = 1.25;

// What a counter of this type is judged by, before anything is known of its interface.
counter::Declaration declaration_of(ObjectType type, std::int64_t frequency_ms);

// All methods are thread-safe; none blocks on a text.
class DeviceCounters {
 public:
  // Nothing: not a counter of an oidset. The device need not be in the inventory. Before the first set_inventories()
  // there are the oidsets that are built in.
  [[nodiscard]] std::optional<counter::Declaration> find(std::string_view tenant, std::string_view metric,
                                                         const counter::TagOf& tag) const;

  void set_inventories(std::shared_ptr<const Inventories> inventories);
  // `rows`: all that a device's interfaces ever were, in order of begin.
  void set_history(std::string_view tenant, std::string_view device, std::span<const HistoryRow> rows);
  [[nodiscard]] bool has_history(std::string_view tenant, std::string_view device) const;

 private:
  struct Speed {
    std::uint64_t interface = 0;  // the hash of its name
    counter::Ceiling ceiling;
  };
  using Speeds = std::vector<Speed>;  // of a device: by interface, then by time

  [[nodiscard]] std::vector<counter::Ceiling> ceilings(std::string_view tenant, std::string_view device,
                                                       std::string_view interface) const;

  mutable SharedMutex mutex_;
  std::shared_ptr<const Inventories> inventories_ VARVE_GUARDED_BY(mutex_) = std::make_shared<const Inventories>();
  std::unordered_map<std::uint64_t, Speeds> speeds_ VARVE_GUARDED_BY(mutex_);  // by the hash of tenant and device
};

}  // namespace varve::snmp::inventory
