// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/text.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace varve::protocol::json {
namespace {

// Bytes of the UTF-8 character at the start of `text`, 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  for (std::size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (simdjson::validate_utf8(text.data(), size)) return size;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

void append_string(std::string& out, std::string_view text) {
  const bool clean = is_utf8(text);
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else if (byte < 0x80 || clean) {
      out += c;
    } else if (const auto size = character_bytes(text.substr(i)); size > 0) {
      out.append(text.substr(i, size));
      i += size - 1;
    } else {
      out += "\xef\xbf\xbd";
    }
  }
  out += '"';
}

}  // namespace varve::protocol::json
