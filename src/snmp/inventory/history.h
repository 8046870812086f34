// SPDX-License-Identifier: Apache-2.0
// History: what a device's interfaces (SAPs, outlets, LSPs) were, and when: rows with a begin and an end. Pure.
//
// A row is identified by its name (of an interface: ifName). A changed attribute closes the row and opens another one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/time.h"
#include "snmp/inventory/oidset.h"

namespace varve::snmp::inventory {

using Attribute = std::variant<std::monostate, std::int64_t, std::string>;  // monostate: the agent does not say

// What a row has beside its name, in the order in which HistoryRow::attributes are.
std::span<const std::string_view> attributes_of(HistoryKind kind);

struct HistoryRow {
  std::string name = {};
  std::vector<Attribute> attributes = {};  // one for each of attributes_of()
  model::Timestamp begin = 0;
  std::optional<model::Timestamp> end = {};  // nullopt: it still is
  bool operator==(const HistoryRow&) const = default;
};

// nullptr: rows of this kind have none of that name, or this row has fewer.
const Attribute* attribute_of(HistoryKind kind, const HistoryRow& row, std::string_view name);

// Of an interface: ifSpeed, which is exact; where it is 0 or at its end, ifHighSpeed, which is in millions. 0: neither
// says it.
std::uint64_t bits_per_second(const HistoryRow& row);

// One row of a walk of an oidset with a history, as the poller has it.
struct WalkedRow {
  std::vector<std::uint32_t> index = {};  // behind the columns' oids
  std::string name = {};                  // the value of the correlator's first tag; empty: no layout fits the index
  std::vector<Attribute> values = {};     // one for each of the oidset's objects; octets as they came
};

// What a walk says of its rows, by name; of two rows with one name, the first. ipAdEntIfIndex stands in another table,
// whose index is an address and whose value is an ifIndex: it gives `ipAddr` to the interface of that ifIndex (the
// least address, where there are several). Texts become UTF-8. `begin` and `end` are not set.
std::vector<HistoryRow> history_rows(const Oidset& oidset, std::span<const WalkedRow> walked);

// [0-9a-f]{2} with colons between them.
std::string phys_address_text(std::string_view bytes);

}  // namespace varve::snmp::inventory
