// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/structured_data.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/check.h"

namespace varve::protocol::syslog {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Of ids and names: printable ASCII without `"`, `=` and `]`.
constexpr CharSet kNameChars("!#$%&'()*+,-./:;<>?@[\\^_`{|}~", true);

std::string_view take_name(std::string_view& text) {
  const auto end = std::ranges::find_if(text, [](char c) { return !kNameChars.contains(c); });
  const std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(name.size());
  return name;
}

bool take_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

bool StructuredData::take(std::string_view& text) {
  bytes_.clear();
  parameters_.clear();
  std::string_view left = text;
  bool good = take_char(left, '-') || left.starts_with('[');
  while (good && left.starts_with('[')) good = take_element(left);
  good = good && (left.empty() || left.front() == ' ');
  if (good) {
    text = left;
  } else {
    parameters_.clear();
  }
  return good;
}

bool StructuredData::take_element(std::string_view& text) {
  text.remove_prefix(1);
  const std::string_view id = take_name(text);
  if (id.empty()) return false;
  for (;;) {
    if (take_char(text, ']')) return true;
    if (!take_char(text, ' ')) return false;
    while (take_char(text, ' ')) {
    }
    if (take_char(text, ']')) return true;
    if (!take_parameter(text, id)) return false;
  }
}

bool StructuredData::take_parameter(std::string_view& text, std::string_view id) {
  const std::string_view name = take_name(text);
  Parameter out{.name_at = bytes_.size(),
                .name_bytes = id.size() + 1 + name.size(),
                .value_at = kNone,
                .value = {},
                .value_bytes = 0};
  if (name.empty() || out.name_bytes > message::kNameBytesMax || parameters_.size() == kParametersMax) return false;
  bytes_.append(id).append(1, '.').append(name);
  if (!take_char(text, '=') || !take_char(text, '"') || !take_value(text, out)) return false;
  parameters_.push_back(out);
  return true;
}

// Up to the quote that no backslash precedes. A backslash before anything but `"`, `\` and `]` is just a character.
bool StructuredData::take_value(std::string_view& text, Parameter& out) {
  std::size_t end = text.find_first_of("\"\\");
  if (end == kNone) return false;
  if (text[end] == '"') {
    out.value = text.substr(0, end);
    text.remove_prefix(end + 1);
    return true;
  }
  out.value_at = bytes_.size();
  while (end != kNone && text[end] == '\\') {
    const char next = end + 1 < text.size() ? text[end + 1] : '\0';
    const bool is_escape = next == '"' || next == '\\' || next == ']';
    bytes_.append(text.substr(0, is_escape ? end : end + 1));
    if (is_escape) bytes_.append(1, next);
    text.remove_prefix(is_escape ? end + 2 : end + 1);
    end = text.find_first_of("\"\\");
  }
  if (end == kNone) return false;
  bytes_.append(text.substr(0, end));
  text.remove_prefix(end + 1);
  out.value_bytes = bytes_.size() - out.value_at;
  return true;
}

void StructuredData::add_to(message::Builder& builder) const {
  const std::string_view bytes = bytes_;
  for (const Parameter& p : parameters_) {
    const std::string_view value = p.value_at == kNone ? p.value : bytes.substr(p.value_at, p.value_bytes);
    const Status added = builder.add_field(bytes.substr(p.name_at, p.name_bytes), message::FieldForm::text, value);
    check(added.has_value(), "what was taken is within a field's limits");
  }
}

}  // namespace varve::protocol::syslog
