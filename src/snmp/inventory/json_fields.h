// SPDX-License-Identifier: Apache-2.0
// Fields of a JSON object that is read onto what is there: faults say the place, and what is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "protocol/json/tree.h"

namespace varve::snmp::inventory {

using Faults = std::vector<std::string>;  // each "place: what is wrong"

// All in one line: "a; b".
std::string joined(const Faults& faults);

// A whole number of 64 bits with nothing around it; else nullopt.
std::optional<std::int64_t> whole(std::string_view text);

// Each sets `to` if it can, and adds a fault else. Null is the field's default, which is a default-made value.
void read_text(const protocol::json::Node& node, const std::string& place, std::string& to, Faults& faults);
void read_switch(const protocol::json::Node& node, const std::string& place, bool otherwise, bool& to, Faults& faults);
// "30s", 30 or "30": seconds.
void read_duration(const protocol::json::Node& node, const std::string& place, std::int64_t& to_ms, Faults& faults);
// Milliseconds since 1970, or 2026-11-25T12:00:00Z; without a zone it is UTC.
void read_time(const protocol::json::Node& node, const std::string& place, std::optional<model::Timestamp>& to,
               Faults& faults);

// "30s", "1h", "1d": the longest unit of which it is a whole number.
std::string duration_text(std::int64_t ms);

std::string at(const std::string& place, std::string_view field);  // "devices.r1.address"
std::string at(const std::string& place, std::size_t number);      // "devices.r1.oidsets[2]"

// Is it an object (a list)? Else a fault.
bool is_object(const protocol::json::Node& node, const std::string& place, Faults& faults);
bool is_list(const protocol::json::Node& node, const std::string& place, Faults& faults);

// Reads each item of a list into a new one; null is an empty list.
template <class Item, class Read>
void read_list(const protocol::json::Node& node, const std::string& place, std::vector<Item>& to, Faults& faults,
               const Read& read) {
  to.clear();
  if (node.kind == protocol::json::Kind::null || !is_list(node, place, faults)) return;
  for (std::size_t i = 0; i < node.children.size(); ++i)
    read(node.children[i], at(place, i), to.emplace_back(), faults);
}

// A field by its name, and how it is read onto an Of.
template <class Of>
struct Field {
  std::string_view name;
  void (*read)(const protocol::json::Node& node, const std::string& place, Of& onto, Faults& faults);
};

void add_unknown_field(const std::string& place, std::string_view name, std::string known, Faults& faults);

// Every field that the object names; one that is not in `fields` is a fault.
template <class Of, std::size_t n>
void read_fields(const protocol::json::Node& node, const std::string& place, const Field<Of> (&fields)[n], Of& onto,
                 Faults& faults) {
  if (!is_object(node, place, faults)) return;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Field<Of>* found = nullptr;
    for (const Field<Of>& field : fields) {
      if (field.name == node.names[i]) found = &field;
    }
    if (found != nullptr) {
      found->read(node.children[i], at(place, node.names[i]), onto, faults);
      continue;
    }
    std::string known;
    for (const Field<Of>& field : fields) known.append(known.empty() ? "" : ", ").append(field.name);
    add_unknown_field(place, node.names[i], std::move(known), faults);
  }
}

}  // namespace varve::snmp::inventory
