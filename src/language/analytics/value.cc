// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/value.h"

#include <bit>
#include <charconv>
#include <optional>

#include "protocol/json/number.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::language::analytics {
namespace {

using Form = Value::Form;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
  const std::size_t first = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - first;
}

// What a sender wrote has been looked at, but one value that is no JSON would break the whole answer.
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits_from(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t decimals = digits_from(text, at + 1);
    if (decimals == 0) return false;
    at += 1 + decimals;
  }
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = digits_from(text, at);
    if (exponent == 0) return false;
    at += exponent;
  }
  return at == text.size();
}

bool is_json(std::string_view text) {
  return text == "true" || text == "false" || protocol::json::check_strict(text).has_value();
}

void append_names(std::string& out, const std::vector<std::string_view>& names) {
  protocol::json::Writer(out).array(names);
}

// Keys of numbers and texts begin with these; what is absent is 0 alone.
constexpr char kNumberKey = 1;
constexpr char kTextKey = 2;

void append_big_endian(std::string& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

// The double, so that numbers of all kinds compare, and what a whole number has beyond it.
void append_number_key(std::string& out, double number, std::int64_t beyond) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // of -0, too, 0
  out += kNumberKey;
  append_big_endian(out, (bits & kSign) != 0 ? ~bits : bits | kSign);
  append_big_endian(out, static_cast<std::uint64_t>(beyond) ^ kSign);
}

void append_whole_key(std::string& out, std::int64_t number) {
  const auto nearest = static_cast<double>(number);  // 2^63 at most, which is unsigned
  const auto whole = nearest < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(nearest))
                                 : static_cast<std::uint64_t>(nearest);
  append_number_key(out, nearest, static_cast<std::int64_t>(static_cast<std::uint64_t>(number) - whole));
}

// 0 within is 0 255, and the end is 0 0: so no text begins another one.
void append_text_key(std::string& out, std::string_view text) {
  out += kTextKey;
  for (const char c : text) {
    out += c;
    if (c == 0) out += '\xff';
  }
  out.append(2, 0);
}

void append_digits_key(std::string& out, std::string_view digits) {
  if (const auto whole = protocol::json::to_long(digits)) return append_whole_key(out, *whole);
  if (const auto number = protocol::json::to_double(digits)) return append_number_key(out, *number, 0);
  append_text_key(out, digits);
}

std::optional<std::int64_t> v4_address(std::string_view text) {
  std::int64_t address = 0;
  for (int part = 0; part < 4; ++part) {
    unsigned value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || value > 255) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    if (part < 3) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    address = address << 8 | value;
  }
  if (!text.empty()) return std::nullopt;
  return address;
}

}  // namespace

void append_value(std::string& out, const Value& value) {
  switch (value.form) {
    case Form::absent: out += "null"; return;
    case Form::number: return protocol::json::append_long(out, value.number);
    case Form::names: return append_names(out, *value.names);
    case Form::digits:
      if (!is_json_number(value.text)) break;
      out += value.text;
      return;
    case Form::json:
      if (!is_json(value.text)) break;
      out += value.text;
      return;
    case Form::text:
    case Form::address: break;
  }
  protocol::json::append_string(out, value.text);
}

void append_sort_key(std::string& out, const Value& value) {
  switch (value.form) {
    case Form::absent: out += '\0'; return;
    case Form::number: return append_whole_key(out, value.number);
    case Form::digits: return append_digits_key(out, value.text);
    case Form::address:
      if (const auto address = v4_address(value.text)) return append_whole_key(out, *address);
      return append_text_key(out, value.text);
    case Form::names:
      for (const std::string_view name : *value.names) append_text_key(out, name);
      out += '\0';
      return;
    case Form::text:
    case Form::json: return append_text_key(out, value.text);
  }
}

}  // namespace varve::language::analytics
