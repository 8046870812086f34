// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/xml_names.h"

#include <algorithm>

#include "base/ascii.h"
#include "message/builder.h"
#include "protocol/messages/xml_entities.h"

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
  append_unescaped(name, element.key);
  append_text(name, element);
}

void XmlNames::append_text(std::string& name, const Open& element) {
  name += ':';
  if (element.verbatim) name += element.text;
  if (!element.verbatim) append_unescaped(name, element.text);
}

}  // namespace varve::protocol::messages
