// SPDX-License-Identifier: Apache-2.0
// What correlators are made of: the texts of an index's parts, and texts with {names} in them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "snmp/inventory/correlator.h"

namespace varve::snmp::inventory {

// Takes the numbers of `part` from the front of `index`. nullopt: it does not begin so.
std::optional<std::string> take_index_text(const IndexPart& part, std::span<const std::uint32_t>& index);

// A port of Alcatel-Lucent (TIMETRA-TC-MIB, TmnxPortID): 1/1/1, 1/2/1.10, lag-1, virtual-1, invalid-portid.
std::string alu_port_text(std::uint32_t port);

// `text` in pieces, in order: what stands in braces (is_name), and what does not. A brace that is never closed is text.
template <class Each>
void for_each_piece(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return each(text, false);
    if (open > 0) each(text.substr(0, open), false);
    each(text.substr(open + 1, close - open - 1), true);
    text.remove_prefix(close + 1);
  }
}

std::optional<IndexKind> index_kind_of(std::string_view name);
std::string_view to_text(IndexKind kind);

}  // namespace varve::snmp::inventory
