// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/xml_entities.h"

#include <charconv>
#include <optional>

#include "protocol/json/unescape.h"

namespace varve::protocol::messages {
namespace {

// "#38" and "#x26".
std::optional<unsigned> character_of(std::string_view number) {
  const int base = number.starts_with("#x") ? 16 : 10;
  number.remove_prefix(base == 16 ? 2 : 1);
  unsigned character = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), character, base);
  const bool good = error == std::errc{} && end == number.data() + number.size() && character < 0x110000 &&
                    (character < 0xd800 || character >= 0xe000);
  return good ? std::optional(character) : std::nullopt;
}

// Of the name between & and ;.
std::optional<unsigned> entity(std::string_view name) {
  if (name == "lt") return '<';
  if (name == "gt") return '>';
  if (name == "amp") return '&';
  if (name == "quot") return '"';
  if (name == "apos") return '\'';
  return name.starts_with('#') ? character_of(name) : std::nullopt;
}

}  // namespace

void append_unescaped(std::string& out, std::string_view text) {
  constexpr std::size_t kEntityMax = 12;
  for (;;) {
    const std::size_t amp = text.find('&');
    out.append(text.substr(0, amp));
    if (amp == std::string_view::npos) return;
    text.remove_prefix(amp + 1);
    const std::size_t end = text.substr(0, kEntityMax).find(';');
    const auto meant = end == std::string_view::npos ? std::nullopt : entity(text.substr(0, end));
    if (!meant) {
      out += '&';
      continue;
    }
    json::append_utf8(out, *meant);
    text.remove_prefix(end + 1);
  }
}

}  // namespace varve::protocol::messages
