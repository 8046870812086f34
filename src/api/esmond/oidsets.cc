// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/oidsets.h"

#include <map>

#include "protocol/json/writer.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Writer;
using snmp::inventory::Oidset;
using Oidsets = std::map<std::string_view, const Oidset*>;

// The tenant's own come before built-in ones of their name.
Oidsets oidsets_of(const snmp::inventory::Inventory& inventory) {
  Oidsets out;
  for (const auto* const from : {&snmp::inventory::built_in(), &inventory}) {
    for (const auto& [name, set] : from->oidsets) out[name] = &set;
  }
  return out;
}

}  // namespace

Result<Response> list_oidsets(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  std::string out;
  Writer json(out);
  json.begin_array();
  for (const auto& [name, set] : oidsets_of(*inventory)) json.value(name);
  json.end_array();
  return esmond_json(200, std::move(out));
}

Result<Response> map_oidsets(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  std::string out;
  Writer json(out);
  json.begin_object();
  for (const auto& [name, set] : oidsets_of(*inventory)) {
    std::map<std::string_view, std::string_view> aliases;
    for (const auto& object : set->objects) {
      if (!object.alias.empty()) aliases.emplace(object.alias, object.name);
    }
    if (!aliases.empty()) json.key(name).object(aliases);
  }
  json.end_object();
  return esmond_json(200, std::move(out));
}

}  // namespace varve::api::esmond
