// SPDX-License-Identifier: Apache-2.0
// Devices of the inventory, in esmond's shape.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/esmond/call.h"
#include "protocol/json/writer.h"

namespace varve::api::esmond {

// GET device/
Result<Response> list_devices(const Call& call);
// GET device/D/
Result<Response> show_device(const Call& call);
// PUT device/D/: active, begin_time, end_time, oidsets
Result<Response> change_device(const Call& call);

// The device that names[0] is. Error: invalid.
Result<const snmp::inventory::Device*> device_of(const Call& call, const snmp::inventory::Inventory& inventory);

// {"leaf":false,"name":…,"uri":…}
void append_child(protocol::json::Writer& json, bool is_leaf, std::string_view name, std::string_view uri);

// /v1/device/rtr_a
std::string uri_of_device(const Call& call, std::string_view device);

// Of a device, or of one as a power distribution unit; `children`: names behind the uri.
void append_device(protocol::json::Writer& json, const snmp::inventory::Device& device, const std::string& uri,
                   std::span<const std::string_view> children, bool with_uri);

}  // namespace varve::api::esmond
