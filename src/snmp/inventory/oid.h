// SPDX-License-Identifier: Apache-2.0
// Oid: an SNMP object identifier, as numbers and as dotted text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace varve::snmp::inventory {

using Oid = std::vector<std::uint32_t>;

inline constexpr std::size_t kOidPartsMax = 128;  // RFC 3416, section 4.1

// "1.3.6.1.2.1.1.3.0", also with a dot in front. nullopt: no oid, or more than kOidPartsMax numbers.
std::optional<Oid> parse_oid(std::string_view text);
std::string to_text(const Oid& oid);

// A scalar's instance ends in .0; a column of a table does not.
inline bool is_scalar(const Oid& oid) { return !oid.empty() && oid.back() == 0; }

}  // namespace varve::snmp::inventory
