// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/utf8_text.h"

#include "protocol/json/text.h"

namespace varve::snmp::inventory {
namespace {

// The character that the bytes begin with; empty: none.
std::string_view first_character(std::string_view bytes) {
  for (std::size_t size = 1; size <= 4 && size <= bytes.size(); ++size) {
    if (protocol::json::is_utf8(bytes.substr(0, size))) return bytes.substr(0, size);
  }
  return {};
}

}  // namespace

std::string utf8_text(std::string_view bytes, std::size_t bytes_max) {
  if (bytes.size() <= bytes_max && bytes.find('\0') == std::string_view::npos && protocol::json::is_utf8(bytes)) {
    return std::string(bytes);
  }
  std::string out;
  while (!bytes.empty()) {
    const std::string_view whole = first_character(bytes);
    const std::string_view character = whole.empty() ? std::string_view("\xef\xbf\xbd") : whole;
    bytes.remove_prefix(whole.empty() ? 1 : whole.size());
    if (character[0] == '\0') continue;
    if (out.size() + character.size() > bytes_max) break;
    out += character;
  }
  return out;
}

}  // namespace varve::snmp::inventory
