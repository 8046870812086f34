// SPDX-License-Identifier: Apache-2.0
// The objects of the built-in oidsets and correlators, by name: no MIB is read. esmond's fixtures name them so.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "snmp/inventory/oidset.h"

namespace varve::snmp::inventory {

struct KnownObject {
  std::string_view name = {};
  std::string_view table = {};  // the oid of its table's entry; of a scalar: the oid without .0
  std::uint32_t column = 0;
  ObjectType type = ObjectType::counter64;
  bool aggregate = false;
  std::string_view alias = {};
  std::string_view stand_in = {};  // the name of another one
};

Oid oid_of(const KnownObject& known);

// nullptr: there is none of that name.
const KnownObject* known_object(std::string_view name);
std::optional<Object> object_of(std::string_view name);

}  // namespace varve::snmp::inventory
