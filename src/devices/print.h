// SPDX-License-Identifier: Apache-2.0
// Answers of a server as text for a person. What an answer does not have is left out.
#pragma once

#include <string>

#include "protocol/json/tree.h"

namespace varve::devices {

// A line for each device, in columns, with a headline.
std::string list_text(const protocol::json::Node& answer);
// A line for each field: `address: 10.0.0.1`.
std::string device_text(const protocol::json::Node& device);
// snmp.ifHCInOctets{device="r",interface="eth0",oidset="FastPollHC"} 123   1.3.6.1.2.1.31.1.1.1.6.2
std::string polled_text(const protocol::json::Node& answer);
// Did a set end with an error?
bool has_failed(const protocol::json::Node& polled);
// devices: 1 added, 0 changed, 0 removed …
std::string counts_text(const protocol::json::Node& answer, bool only_check);

}  // namespace varve::devices
