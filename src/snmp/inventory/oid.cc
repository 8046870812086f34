// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/oid.h"

#include <charconv>

namespace varve::snmp::inventory {

std::optional<Oid> parse_oid(std::string_view text) {
  if (text.starts_with('.')) text.remove_prefix(1);
  Oid out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::uint32_t part = 0;
    const auto [behind, error] = std::from_chars(at, end, part);
    if (error != std::errc() || out.size() == kOidPartsMax) return std::nullopt;
    out.push_back(part);
    if (behind == end) break;
    if (*behind != '.') return std::nullopt;
    at = behind + 1;
  }
  // X.690, 8.19: the first two numbers share a byte.
  if (out.size() < 2 || out[0] > 2 || (out[0] < 2 && out[1] > 39)) return std::nullopt;
  return out;
}

std::string to_text(const Oid& oid) {
  std::string out;
  for (const std::uint32_t part : oid) {
    if (!out.empty()) out += '.';
    out += std::to_string(part);
  }
  return out;
}

}  // namespace varve::snmp::inventory
