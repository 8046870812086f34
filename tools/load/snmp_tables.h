// SPDX-License-Identifier: Apache-2.0
// The objects of a simulated device, in their order: the system group, ifNumber, ifTable, ifXTable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/load/snmp_ber.h"
#include "tools/load/snmp_device.h"

namespace varve::load {

// A column of a table, or a scalar, whose only row is 0.
struct Column {
  enum class Shows : std::uint8_t {
    system_text,
    system_object,
    uptime,
    zero_ticks,
    interfaces,
    row,
    description,  // of an interface: its name, too
    type,
    mtu,
    speed,
    mac,
    status,
    counter,
    name,
    high_speed,
    alias,
    discontinuity,
  };

  Oid oid;
  BerTag syntax{};
  Shows shows{};
  std::uint32_t counter = 0;  // of Device::counter_at
  bool table = false;
  std::vector<std::uint8_t> encoded = {};  // the oid
};

// An object that is there: its column and its row.
struct Place {
  std::size_t column = 0;
  std::uint32_t row = 0;
};

class SnmpTables {
 public:
  SnmpTables();

  // Exactly this one.
  [[nodiscard]] std::optional<Place> find(const Oid& oid, const Device& device, bool counter64) const;
  // The first one behind `oid`, as this device walks.
  [[nodiscard]] std::optional<Place> next(const Oid& oid, const Device& device, bool counter64) const;
  [[nodiscard]] std::optional<Place> next(const Place& place, const Device& device, bool counter64) const;
  [[nodiscard]] Oid oid_of(const Place& place) const;
  // One varbind.
  void write(const Place& place, const Device& device, std::int64_t now_ms, BerWriter& out);

 private:
  [[nodiscard]] std::size_t column_of(const Oid& oid) const;
  [[nodiscard]] std::optional<Place> first_of(std::size_t column, const Device& device, bool counter64) const;
  void write_value(const Column& column, std::uint32_t row, const Device& device, std::int64_t now_ms, BerWriter& out);
  void write_counter(const Column& column, std::uint64_t value, const Device& device, BerWriter& out);

  std::vector<Column> columns_;
  std::string text_;  // kept for its memory
};

}  // namespace varve::load
