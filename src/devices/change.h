// SPDX-License-Identifier: Apache-2.0
// What is sent to a server: paths, and the JSON of a device from flags.
#pragma once

#include <string>
#include <string_view>

#include "devices/options.h"
#include "protocol/json/tree.h"

namespace varve::devices {

// As a part of a path or of a query.
std::string percent_encoded(std::string_view name);
// /api/v1/snmp/devices/NAME
std::string device_path(std::string_view name);

// The fields that the flags name. `before`: the device as the server shows it, whose tags stay; nullptr: it is new.
std::string device_json(const Options& options, const protocol::json::Node* before);

}  // namespace varve::devices
