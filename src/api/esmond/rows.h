// SPDX-License-Identifier: Apache-2.0
// Rows of a device's history: which were there, and how esmond shows what they have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/esmond/call.h"
#include "protocol/json/writer.h"

namespace varve::api::esmond {

// Those that were there at any time of the span. Errors: those of HistoryStore.
Result<std::vector<snmp::inventory::HistoryRow>> rows_of(const Call& call, const std::string& device,
                                                         snmp::inventory::HistoryKind kind, Span span);

// For v1 as text, else in seconds.
void append_time(protocol::json::Writer& json, const Call& call, std::string_view key,
                 std::optional<model::Timestamp> time);

// null: the agent does not say.
void append_attribute(protocol::json::Writer& json, std::string_view key, const snmp::inventory::Attribute& attribute);

}  // namespace varve::api::esmond
