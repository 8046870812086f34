// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/fast_message.h"

#include <cstring>

#include "protocol/json/text.h"
#include "protocol/json/unescape.h"
#include "protocol/messages/keys.h"

namespace varve::protocol::messages {
namespace {

using message::Column;
using message::FieldForm;

// Not newlines: one behind another would be a second line.
inline const char* skip_line_blanks(const char* at, const char* end) {
  while ((*at == ' ' || *at == '\t') && at < end) ++at;
  return at;
}

inline const char* skip_number_digits(const char* at, const char* end) {
  while (at < end && *at >= '0' && *at <= '9') ++at;
  return at;
}

// The end of the JSON number at `at`, or nullptr.
inline const char* number_end(const char* at, const char* end) {
  at += *at == '-' ? 1 : 0;
  const char* const whole = at;
  at = skip_number_digits(at, end);
  if (at == whole || (at > whole + 1 && *whole == '0')) return nullptr;
  if (at < end && *at == '.') {
    const char* const point = at;
    at = skip_number_digits(at + 1, end);
    if (at == point + 1) return nullptr;
  }
  if (at < end && (*at | 0x20) == 'e') {
    ++at;
    if (at < end && (*at == '-' || *at == '+')) ++at;
    const char* const exponent = at;
    at = skip_number_digits(at, end);
    if (at == exponent) return nullptr;
  }
  return at;
}

std::string_view between(const char* from, const char* to) { return {from, static_cast<std::size_t>(to - from)}; }

}  // namespace

// Behind the opening quote; returns the place behind the closing one.
inline const char* FastMessage::read_string(const char* at, std::string_view& text) {
  const char* const stop = json::find_string_stop(at, end_);
  if (stop >= end_ || (*stop != '"' && *stop != '\\')) return nullptr;
  if (*stop == '"') {
    text = between(at, stop);
    return stop + 1;
  }
  if (!undone_) {
    undone_ = std::make_unique_for_overwrite<char[]>(body_bytes_ + json::kUnescapeSlack);
    free_ = undone_.get();
  }
  char* const begin = free_;
  at = json::unescape(at, end_, free_);
  text = between(begin, free_);
  return at;
}

// ["type:value",…]
const char* FastMessage::read_objects(const char* at) {
  at = skip_line_blanks(at + 1, end_);
  if (*at == ']') return at + 1;
  while (at < end_ && *at == '"') {
    std::string_view name;
    at = read_string(at + 1, name);
    if (at == nullptr || !cells_.text(Column::object, name)) return nullptr;
    at = skip_line_blanks(at, end_);
    if (*at == ']') return at + 1;
    if (*at != ',') return nullptr;
    at = skip_line_blanks(at + 1, end_);
  }
  return nullptr;
}

const char* FastMessage::read_value(const char* at, Column column, std::string_view name) {
  const bool free = column == Column::field;
  if (column == Column::object) cells_.null(column);  // the last list counts
  if (*at == '"') {
    std::string_view text;
    at = read_string(at + 1, text);
    if (at == nullptr) return nullptr;
    return (free ? cells_.field(name, FieldForm::text, text) : cells_.text(column, text)) ? at : nullptr;
  }
  if (*at == '-' || (*at >= '0' && *at <= '9')) {
    const char* const end = number_end(at, end_);
    if (end == nullptr) return nullptr;
    const std::string_view number = between(at, end);
    return (free ? cells_.field(name, FieldForm::number, number) : cells_.number(column, number)) ? end : nullptr;
  }
  if (*at == '[' && column == Column::object) return read_objects(at);
  if (std::memcmp(at, "null", 4) == 0) {
    free ? cells_.null_field(name) : cells_.null(column);
    return at + 4;
  }
  const std::size_t size = std::memcmp(at, "true", 4) == 0 ? 4 : std::memcmp(at, "false", 5) == 0 ? 5 : 0;
  if (size == 0 || !free || !cells_.field(name, FieldForm::json, {at, size})) return nullptr;
  return at + size;
}

const char* FastMessage::read(const char* at) {
  cells_.start();
  free_ = undone_.get();
  at = skip_line_blanks(at + 1, end_);
  if (*at == '}' && at < end_) return at + 1;
  while (at < end_ && *at == '"') {
    const char* const key = at + 1;
    const char* const key_end = json::find_string_stop(key, end_);
    if (key_end >= end_ || *key_end != '"') return nullptr;
    const std::string_view name = between(key, key_end);
    at = skip_line_blanks(key_end + 1, end_);
    if (*at != ':') return nullptr;
    at = skip_line_blanks(at + 1, end_);
    if (at >= end_) return nullptr;
    at = read_value(at, kKeyTable.find(key, name.size()), name);
    if (at == nullptr) return nullptr;
    at = skip_line_blanks(at, end_);
    if (at >= end_) return nullptr;
    if (*at == '}') return at + 1;
    if (*at != ',') return nullptr;
    at = skip_line_blanks(at + 1, end_);
  }
  return nullptr;
}

}  // namespace varve::protocol::messages
