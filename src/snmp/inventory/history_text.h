// SPDX-License-Identifier: Apache-2.0
// Rows of a history as the text of a part (docs/formats/snmp.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "snmp/inventory/history.h"

namespace varve::snmp::inventory {

std::string history_text(std::span<const HistoryRow> rows);
// nullopt: malformed. Attributes that were added to the kind since are monostate.
std::optional<std::vector<HistoryRow>> history_of_text(HistoryKind kind, std::string_view text);

}  // namespace varve::snmp::inventory
