// SPDX-License-Identifier: Apache-2.0
// `varve device usage`: what is asked of a server, and its answer as text and as CSV.
#pragma once

#include <string>

#include "base/result.h"
#include "devices/options.h"
#include "protocol/json/tree.h"

namespace varve::devices {

// /api/v1/snmp/usage?… Error: invalid (a time that is none).
Result<std::string> usage_path(const Options& options);

// A line for each interface, in columns, with a headline: bytes, and bits per second. `sum` is the last line.
std::string usage_text(const protocol::json::Node& answer);

// As RFC 4180 has it, with a headline; numbers as they came, in bytes per second, nothing where they are unknown. The
// sum is the last line, without a device and an interface.
std::string usage_csv(const protocol::json::Node& answer);

}  // namespace varve::devices
