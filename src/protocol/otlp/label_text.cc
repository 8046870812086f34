// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/label_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "protocol/json/number.h"
#include "protocol/json/text.h"

namespace varve::protocol::otlp {
namespace {

constexpr std::size_t kFixedChars = 400;  // 5e-324 has 327

std::string number_in_form(double number, std::chars_format form) {
  char text[kFixedChars];
  return {text, std::to_chars(text, text + sizeof text, number, form).ptr};
}

// As JSON of Go and JavaScript has it: with an exponent below 1e-6 and from 1e21 on.
std::string shortest_number(double number) {
  constexpr double kLeast = 1e-6, kMost = 1e21;
  const double size = std::fabs(number);
  if (size == 0 || (size >= kLeast && size < kMost)) return number_in_form(number, std::chars_format::fixed);
  std::string text = number_in_form(number, std::chars_format::scientific);
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);  // e-09
  return text;
}

std::string number_text(std::string_view number) {
  if (json::to_long(number)) return std::string(number);
  const auto value = json::to_double(number);
  return value && std::isfinite(*value) ? shortest_number(*value) : std::string(number);
}

// The letter behind the backslash; 0: there is none.
char go_escape(char c) {
  switch (c) {
    case '"':
    case '\\': return c;
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
  }
}

// As Prometheus 3.16 has it: Go's JSON without its escapes for HTML. UTF-8.
void append_go_string(std::string& out, std::string_view text) {
  constexpr std::string_view kSeparators[] = {"\u2028", "\u2029"};
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const char letter = go_escape(c); letter != 0) {
      out.append(1, '\\').append(1, letter);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      append_hex(out += "\\u00", text.substr(i, 1));
    } else if (const auto next = text.substr(i, 3); next == kSeparators[0] || next == kSeparators[1]) {
      out += next == kSeparators[0] ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  out += '"';
}

// No deeper than kValueDepthMax.
void append_ordered_json(std::string& out, const Value& value) {
  if (value.kind == Value::Kind::number) {
    out += number_text(value.text);
    return;
  }
  if (value.kind == Value::Kind::text) return append_go_string(out, value.text);
  if (value.kind != Value::Kind::list && value.kind != Value::Kind::map) return append_json(out, value);
  const bool is_map = value.kind == Value::Kind::map;
  std::vector<std::size_t> order(value.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (is_map) std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(value.names[i], i); });
  out += is_map ? '{' : '[';
  bool is_first = true;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t i = order[at];
    // Of a name that comes twice the last value counts.
    if (is_map && at + 1 < order.size() && value.names[order[at + 1]] == value.names[i]) continue;
    if (!is_first) out += ',';
    is_first = false;
    if (is_map) {
      append_go_string(out, value.names[i]);
      out += ':';
    }
    append_ordered_json(out, value.items[i]);
  }
  out += is_map ? '}' : ']';
}

}  // namespace

std::string label_text(const Value& value) {
  switch (value.kind) {
    case Value::Kind::none: return {};
    case Value::Kind::text:
    case Value::Kind::boolean: return std::string(value.text);
    case Value::Kind::number: return number_text(value.text);
    case Value::Kind::list:
    case Value::Kind::map: break;
  }
  std::string text;
  append_ordered_json(text, value);
  return text;
}

std::string bound_text(double bound) {
  if (std::isnan(bound)) return "NaN";
  if (std::isinf(bound)) return bound > 0 ? "+Inf" : "-Inf";
  return number_in_form(bound, std::chars_format::fixed);
}

}  // namespace varve::protocol::otlp
