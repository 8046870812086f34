// SPDX-License-Identifier: Apache-2.0
// Which types of an agent's values an object of the inventory may have.
#pragma once

#include "snmp/inventory/oidset.h"
#include "snmp/session/binding.h"

namespace varve::snmp::walk {

constexpr bool is_missing(session::Kind kind) {
  return kind == session::Kind::no_object || kind == session::Kind::no_instance || kind == session::Kind::end_of_view;
}

// Counters must be what they are said to be, because rates depend on their width. Other whole numbers stand for each
// other, as agents mix them up without harm.
constexpr bool fits(inventory::ObjectType type, session::Kind kind) {
  using inventory::ObjectType;
  using session::Kind;
  switch (type) {
    case ObjectType::counter32: return kind == Kind::counter32;
    case ObjectType::counter64: return kind == Kind::counter64;
    case ObjectType::gauge32:
    case ObjectType::integer32: return kind == Kind::gauge32 || kind == Kind::integer;
    case ObjectType::time_ticks: return kind == Kind::ticks;
    case ObjectType::ip_address: return kind == Kind::address;
    case ObjectType::octets:
    case ObjectType::phys_address: return kind == Kind::octets;
    case ObjectType::object_id: return kind == Kind::object_id;
  }
  return false;
}

}  // namespace varve::snmp::walk
