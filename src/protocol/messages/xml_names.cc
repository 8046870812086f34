// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/xml_names.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "message/builder.h"
#include "protocol/json/unescape.h"

namespace varve::protocol::messages {
namespace {

constexpr std::string_view kWhite = " \t\r\n";

// Of names of elements and attributes; what begins one is not looked at more closely.
constexpr CharSet kXmlNameChars = [] {
  CharSet set("_:-.", true);
  set.add_from(0x80);
  return set;
}();

bool is_white(std::string_view text) { return text.find_first_not_of(kWhite) == std::string_view::npos; }

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

// Appends the text with its entities; what is none stays as it is.
void append_meant(std::string& out, std::string_view text) {
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
    char bytes[4];
    out.append(bytes, json::put_utf8(bytes, *meant));
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Status XmlNames::read(std::string_view text) {
  names_.clear();
  groups_.clear();
  open_.clear();
  elements_ = 0;
  too_many_ = false;
  const std::size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos || text[first] != '<' || text.find("key") == std::string_view::npos) return {};
  if (!walk(text)) {
    names_.clear();
  } else if (too_many_) {
    return fail(Code::limit, "more than " + std::to_string(message::kObjectsMax) + " objects in the XML text");
  }
  return {};
}

// False: it is no XML.
bool XmlNames::walk(std::string_view text) {
  rest_ = text;
  while (!rest_.empty()) {
    if (rest_.front() == '<') {
      if (!read_markup()) return false;
      continue;
    }
    const std::string_view piece = rest_.substr(0, rest_.find('<'));
    rest_.remove_prefix(piece.size());
    if (is_white(piece)) continue;
    if (open_.empty()) return false;
    if (open_.back().text.empty()) open_.back().text = piece;
  }
  return open_.empty() && elements_ > 0;
}

bool XmlNames::skip_past(std::string_view mark) {
  const std::size_t at = rest_.find(mark);
  if (at == std::string_view::npos) return false;
  rest_.remove_prefix(at + mark.size());
  return true;
}

void XmlNames::skip_white() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kWhite), rest_.size())); }

std::string_view XmlNames::read_name() {
  std::size_t size = 0;
  while (size < rest_.size() && kXmlNameChars.contains(rest_[size])) ++size;
  const std::string_view name = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return name;
}

// At '<'.
bool XmlNames::read_markup() {
  constexpr std::string_view kData = "<![CDATA[";
  if (rest_.starts_with("<!--")) return rest_.remove_prefix(4), skip_past("-->");
  if (rest_.starts_with("<?")) return skip_past("?>");
  if (rest_.starts_with("</")) return read_close();
  if (!rest_.starts_with(kData)) return read_open();
  rest_.remove_prefix(kData.size());
  const std::string_view data = rest_.substr(0, rest_.find("]]>"));
  if (!skip_past("]]>") || open_.empty()) return false;
  if (open_.back().text.empty()) open_.back().text = data, open_.back().verbatim = true;
  return true;
}

bool XmlNames::read_open() {
  rest_.remove_prefix(1);
  if (open_.empty() && elements_ > 0) return false;  // a second root
  Open element;
  element.tag = read_name();
  element.number = ++elements_;
  if (element.tag.empty()) return false;
  for (;;) {
    const bool parted = !rest_.empty() && kWhite.contains(rest_.front());
    skip_white();
    if (rest_.starts_with('>')) {
      rest_.remove_prefix(1);
      open_.push_back(element);
      return true;
    }
    if (rest_.starts_with("/>")) return rest_.remove_prefix(2), true;
    if (!parted || !read_attribute(element.key)) return false;
  }
}

// name="value" or name='value'.
bool XmlNames::read_attribute(std::string_view& key) {
  const std::string_view name = read_name();
  skip_white();
  if (name.empty() || !rest_.starts_with('=')) return false;
  rest_.remove_prefix(1);
  skip_white();
  if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\'')) return false;
  const std::size_t end = rest_.find(rest_.front(), 1);
  if (end == std::string_view::npos) return false;
  const std::string_view value = rest_.substr(1, end - 1);
  if (value.contains('<')) return false;
  if (name == "key") key = value;
  rest_.remove_prefix(end + 1);
  return true;
}

bool XmlNames::read_close() {
  rest_.remove_prefix(2);
  const std::string_view tag = read_name();
  skip_white();
  if (!rest_.starts_with('>') || open_.empty() || open_.back().tag != tag) return false;
  rest_.remove_prefix(1);
  const Open element = open_.back();
  open_.pop_back();
  if (!element.key.empty() && !element.text.empty()) end_element(element);
  return true;
}

void XmlNames::end_element(const Open& element) {
  const std::size_t parent = open_.empty() ? 0 : open_.back().number;
  for (std::size_t i = groups_.size(); i-- > 0;) {
    if (groups_[i].parent != parent || groups_[i].key != element.key) continue;
    append_text(names_[i], element);
    return;
  }
  too_many_ = too_many_ || names_.size() == message::kObjectsMax;
  if (too_many_) return;
  groups_.push_back({parent, element.key});
  std::string& name = names_.emplace_back();
  append_meant(name, element.key);
  append_text(name, element);
}

void XmlNames::append_text(std::string& name, const Open& element) {
  name += ':';
  if (element.verbatim) name += element.text;
  if (!element.verbatim) append_meant(name, element.text);
}

}  // namespace varve::protocol::messages
