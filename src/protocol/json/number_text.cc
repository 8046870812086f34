// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/number_text.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace varve::protocol::json {

void append_long(std::string& out, std::int64_t value) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const double size = std::abs(value);
  if (size < 0x1p63 && value == std::trunc(value)) {
    if (value == 0 && std::signbit(value))
      out += "-0.0";  // the only whole number an integer cannot say
    else
      append_long(out, static_cast<std::int64_t>(value));
    return;
  }
  char text[32];
  if (size >= 1e-3 && size < 1e7) {
    out.append(text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr);
    return;
  }
  // d[.ddd]e[+-]xx → d.dddE[-]x
  const char* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const std::string_view all(text, static_cast<std::size_t>(end - text));
  const auto e = all.find('e');
  out += all.substr(0, e);
  if (all.find('.') == std::string_view::npos) out += ".0";
  out += 'E';
  if (all[e + 1] == '-') out += '-';
  const auto exponent = all.substr(e + 2);
  out += exponent.substr(exponent.starts_with('0') ? 1 : 0);
}

}  // namespace varve::protocol::json
