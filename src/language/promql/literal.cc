// SPDX-License-Identifier: Apache-2.0
#include "language/promql/literal.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/ascii.h"
#include "protocol/json/unescape.h"

namespace varve::language::promql {
namespace {

constexpr char32_t kReplacement = 0xfffd;
constexpr std::string_view kEscapeNames = "abfnrtv\\", kEscapeMeanings = "\a\b\f\n\r\t\v\\";

template <class Number>
std::optional<Number> whole_number(std::string_view text, int base) {
  Number out{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

// Ranges of characters that are not shown as they are: controls, blanks other than the usual one, marks of direction,
// what is for private use. Each with its last one.
constexpr std::array<std::pair<char32_t, char32_t>, 14> kHidden{{{0x00, 0x1f},
                                                                 {0x7f, 0xa0},
                                                                 {0xad, 0xad},
                                                                 {0x61c, 0x61c},
                                                                 {0x1680, 0x1680},
                                                                 {0x180e, 0x180e},
                                                                 {0x2000, 0x200f},
                                                                 {0x2028, 0x202f},
                                                                 {0x205f, 0x206f},
                                                                 {0x3000, 0x3000},
                                                                 {0xd800, 0xf8ff},
                                                                 {0xfeff, 0xfeff},
                                                                 {0xfff0, 0xfffb},
                                                                 {0xe0000, 0x10ffff}}};

bool is_hidden(char32_t code) {
  for (const auto& [first, last] : kHidden) {
    if (code >= first && code <= last) return true;
  }
  return (code & 0xfffe) == 0xfffe;
}

void append_hex(std::string& out, char32_t code, int digits) {
  constexpr std::string_view kLowerHexDigits = "0123456789abcdef";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kLowerHexDigits[code >> shift & 0xf];
}

void append_escaped(std::string& out, Character one) {
  if (const auto place = kEscapeMeanings.find(static_cast<char>(one.code));
      one.code < 0x80 && place != std::string_view::npos) {
    out += '\\';
    out += kEscapeNames[place];
  } else if (one.code < 0x80) {
    out += "\\x";
    append_hex(out, one.code, 2);
  } else {
    out += one.code < 0x10000 ? "\\u" : "\\U";
    append_hex(out, one.code, one.code < 0x10000 ? 4 : 8);
  }
}

// Digits of a character's number behind a backslash.
struct NumberEscape {
  std::size_t skip = 1;
  std::size_t digits = 2;
  int base = 16;
};
NumberEscape number_escape_of(char c) {
  switch (c) {
    case 'x': return {};
    case 'u': return {.digits = 4};
    case 'U': return {.digits = 8};
    default: return {.skip = 0, .digits = 3, .base = 8};
  }
}

// `text` begins behind a backslash; what belongs to it is taken off.
Status take_escape(std::string& out, std::string_view& text, char quote) {
  if (text.empty()) return fail(Code::invalid, "escape sequence not terminated");
  const char c = text[0];
  const auto place = kEscapeNames.find(c);
  if (place != std::string_view::npos || c == quote) {
    out += c == quote ? c : kEscapeMeanings[place];
    text.remove_prefix(1);
    return {};
  }
  if (!std::string_view("xuU01234567").contains(c)) {
    const std::size_t bytes = first_character(text).bytes;
    return fail(Code::invalid, "unknown escape sequence '" + std::string(text.substr(0, bytes)) + "'");
  }
  const NumberEscape escape = number_escape_of(c);
  const std::string_view digits = text.substr(escape.skip, escape.digits);
  const auto code = whole_number<std::uint32_t>(digits, escape.base);
  if (digits.size() != escape.digits || !code) {
    return fail(Code::invalid, "illegal character in escape sequence");
  }
  const bool of_byte = escape.digits <= 3;
  if (of_byte ? *code > 0xff : *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)) {
    return fail(Code::invalid, "escape sequence is an invalid Unicode code point");
  }
  of_byte ? void(out += static_cast<char>(*code)) : protocol::json::append_utf8(out, *code);
  text.remove_prefix(escape.skip + escape.digits);
  return {};
}

}  // namespace

std::optional<double> literal_number(std::string_view text) {
  std::string plain = lower(text);
  if (plain == "inf") return HUGE_VAL;
  if (plain == "nan") return std::nan("");
  std::erase(plain, '_');
  if (plain.starts_with("0x")) {
    const auto number = whole_number<std::int64_t>(std::string_view(plain).substr(2), 16);
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
  }
  if (plain.starts_with('0')) {  // octal, as Go reads whole numbers
    if (const auto number = whole_number<std::int64_t>(plain, 8)) return static_cast<double>(*number);
  }
  double out = 0;
  const char* const end = plain.data() + plain.size();
  const auto read = std::from_chars(plain.data(), end, out);
  if (plain.empty() || read.ptr != end) return std::nullopt;
  if (read.ec != std::errc()) {  // too large, or too small to be anything but 0
    const double nearest = std::strtod(plain.c_str(), nullptr);
    return std::isinf(nearest) ? std::nullopt : std::optional(nearest);
  }
  return out;
}

std::string literal_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> buffer{};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(scientific.ptr - buffer.data()));
  const auto exponent = whole_number<int>(text.substr(text.find('e') + (text.contains("e+") ? 2 : 1)), 10).value_or(0);
  if (exponent < -4 || exponent >= 6) return std::string(text);
  const auto fixed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), fixed.ptr};
}

Result<std::string> unescaped(std::string_view text, char quote) {
  std::string out;
  while (!text.empty()) {
    if (text[0] == '\\') {
      text.remove_prefix(1);
      VARVE_RETURN_IF_ERROR(take_escape(out, text, quote));
    } else {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character one = first_character(text);
    const std::string_view bytes = text.substr(0, one.bytes);
    text.remove_prefix(one.bytes);
    if (one.code == '"') {
      out += "\\\"";
    } else if (one.code == kReplacement && one.bytes == 1) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(bytes[0]), 2);
    } else if (one.code == '\\' || is_hidden(one.code)) {
      append_escaped(out, one);
    } else {
      out += bytes;
    }
  }
  return out + '"';
}

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  constexpr Character kWrong{kReplacement, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return kWrong;
  char32_t code = lead & (0xff >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return kWrong;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (overlong || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return kWrong;
  return {code, bytes};
}

}  // namespace varve::language::promql
