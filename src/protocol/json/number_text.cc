// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/number_text.h"

#include <fmt/compile.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace varve::protocol::json {
namespace {

char* write_text(char* at, std::string_view text) { return std::copy(text.begin(), text.end(), at); }

// d[.ddd]e[+-]xx → d.dddE[-]x
char* write_with_exponent(char* at, double value) {
  char text[kNumberChars];
  const char* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const std::string_view all(text, static_cast<std::size_t>(end - text));
  const auto e = all.find('e');
  at = write_text(at, all.substr(0, e));
  if (all.find('.') == std::string_view::npos) at = write_text(at, ".0");
  at = write_text(at, all[e + 1] == '-' ? "E-" : "E");
  const auto exponent = all.substr(e + 2);
  return write_text(at, exponent.substr(exponent.starts_with('0') ? 1 : 0));
}

template <class Number>
void append(std::string& out, char* (*write)(char*, Number), Number value) {
  char text[kNumberChars];
  out.append(text, write(text, value));
}

}  // namespace

char* write_long(char* at, std::int64_t value) { return fmt::format_to(at, FMT_COMPILE("{}"), value); }

char* write_double(char* at, double value) {
  const double size = std::abs(value);
  if (size < 0x1p63 && value == std::trunc(value)) {
    // The only whole number an integer cannot say.
    if (value == 0 && std::signbit(value)) return write_text(at, "-0.0");
    return write_long(at, static_cast<std::int64_t>(value));
  }
  if (size >= 1e-3 && size < 1e7) return fmt::format_to(at, FMT_COMPILE("{}"), value);  // twice as quick as to_chars
  return std::isfinite(value) ? write_with_exponent(at, value) : write_text(at, "null");
}

void append_long(std::string& out, std::int64_t value) { append(out, write_long, value); }
void append_double(std::string& out, double value) { append(out, write_double, value); }

}  // namespace varve::protocol::json
