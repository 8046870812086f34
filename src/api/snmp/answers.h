// SPDX-License-Identifier: Apache-2.0
// Answers about the inventory of SNMP, as JSON.
#pragma once

#include <string>
#include <vector>

#include "api/shared/http.h"
#include "protocol/json/writer.h"
#include "snmp/inventory/device_status.h"
#include "snmp/inventory/inventory_store.h"

namespace varve::api {

// {"name":…,"address":…, …,"state":"up","last_poll":…,"last_error":"","interfaces":48,"left_out":[],
//  "unknown_increases":{"gap":0,…}}
void append_device(protocol::json::Writer& json, const snmp::inventory::Device& device,
                   const snmp::inventory::DeviceStatus& status);

// {"name":…,"built_in":true, …}
template <class Of>
void append_definition(protocol::json::Writer& json, const Of& of, bool is_built_in) {
  json.begin_object().member("name", of.name).member("built_in", is_built_in);
  write_fields(json, of);
  json.end_object();
}

// {"devices":{"added":1,"changed":0,"removed":0},"oidsets":{…},"correlators":{…}}; `credentials`: names that esmond's
// communities became, if there are any.
std::string counts_json(const snmp::inventory::ChangeCounts& counts, const std::vector<std::string>& credentials);

// 400 {"error":"…; …","errors":["…","…"]}
Response faults_response(const std::vector<std::string>& faults);

// {"device":…,"sets":[{"oidset":…,"seconds":…,"error":"","reports":[],"objects":[{"metric":…,"tags":{…},"oid":…,
//  "time":…,"value":…}]}]}
std::string polled_json(const std::string& device, const std::vector<snmp::inventory::PolledSet>& sets);

}  // namespace varve::api
