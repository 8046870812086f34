// SPDX-License-Identifier: Apache-2.0
// Interfaces: rows of the history of devices, in esmond's shape.
#pragma once

#include <string>
#include <vector>

#include "api/esmond/call.h"
#include "snmp/inventory/history.h"

namespace varve::api::esmond {

// GET device/D/interface/
Result<Response> list_interfaces_of_device(const Call& call);
// GET interface/
Result<Response> list_interfaces(const Call& call);
// GET device/D/interface/I: the newest row that was in the range
Result<Response> show_interface(const Call& call);

// /v1/device/rtr_a/interface/xe-0@2F0@2F0
std::string uri_of_interface(const Call& call, std::string_view device, std::string_view interface);

// Is any row of the interface hidden from whoever asks? `span` in milliseconds.
Result<bool> is_hidden(const Call& call, const std::string& device, const std::string& interface, Span span);

}  // namespace varve::api::esmond
