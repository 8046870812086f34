// SPDX-License-Identifier: Apache-2.0
// Devices, oidsets, correlators and whole inventories as JSON, as the HTTP API and files have them.
//
//   {"correlators":{NAME:{"layouts":[…]}},                                                        see correlator.h
//    "oidsets":{NAME:{"frequency":"30s","correlator":"ifName","aggregates":["1h","1d"],"history":"interfaces",
//                     "objects":[{"name":"ifHCInOctets","oid":"1.3.6.1.2.1.31.1.1.1.6","type":"Counter64",
//                                 "aggregate":true,"alias":"in","stand_in":{"name":"ifInOctets","oid":"…"}}]}},
//    "devices":{NAME:{"address":"10.0.0.1:161","credential":"lab","oidsets":["FastPollHC"],"active":true,
//                     "begin":null,"end":null,"tags":{"site":"oslo"}}}}
#pragma once

#include <string>
#include <string_view>

#include "protocol/json/tree.h"
#include "protocol/json/writer.h"
#include "snmp/inventory/inventory.h"
#include "snmp/inventory/json_fields.h"

namespace varve::snmp::inventory {

// Reads the fields that the object names onto what is there; the others stay as they are. Names do not change. What an
// answer shows of a device beside its definition is read over. Whether the result holds together is not looked at.
void read_onto(const protocol::json::Node& node, const std::string& place, Device& onto, Faults& faults);
void read_onto(const protocol::json::Node& node, const std::string& place, Oidset& onto, Faults& faults);
void read_onto(const protocol::json::Node& node, const std::string& place, Correlator& onto, Faults& faults);

// The fields, for an object that is begun.
void write_fields(protocol::json::Writer& json, const Device& device);
void write_fields(protocol::json::Writer& json, const Oidset& oidset);
void write_fields(protocol::json::Writer& json, const Correlator& correlator);

template <class Of>
std::string to_json(const Of& of) {
  std::string out;
  protocol::json::Writer json(out);
  json.begin_object();
  write_fields(json, of);
  json.end_object();
  return out;
}

// All of it: what a person exports, and imports again.
std::string to_json(const Inventory& inventory);

// {"correlators":{…},"oidsets":{…},"devices":{…}} onto an inventory: what it names is added or changed, a built-in
// definition being changed becomes the tenant's own. A new device without "oidsets" gets kDefaultOidsets.
// `prune`: of each of the three that it has, what it does not name goes.
void read_import(const protocol::json::Node& root, bool prune, Inventory& onto, Faults& faults);

inline constexpr std::string_view kDefaultOidsets[] = {"FastPollHC", "Errors", "IfRefPoll"};

}  // namespace varve::snmp::inventory
