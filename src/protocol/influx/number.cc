// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/number.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

namespace varve::protocol::influx {
namespace {

std::string shown(std::string_view token) {
  constexpr std::size_t kShown = 40;
  return '\'' + std::string(token.substr(0, kShown)) + (token.size() > kShown ? "…'" : "'");
}

Result<Number> read_integer(std::string_view digits, std::string_view token) {
  const bool is_unsigned = token.ends_with('u') || digits.starts_with('+');
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || digits.empty() || error == std::errc::invalid_argument ||
      (is_unsigned && digits.starts_with('-'))) {
    return fail(Code::invalid, shown(token) + " is not an integer");
  }
  if (error == std::errc::result_out_of_range) {
    return fail(Code::invalid, "integer " + shown(token) + " does not fit into 64 bits with a sign");
  }
  return Number{value, Number::kLong};
}

// Digits with at most one '.', then perhaps an exponent: what both from_chars and Influx read; no hex, no names.
bool is_float(std::string_view text) {
  const auto digits = [&text] {
    const auto end = std::ranges::find_if(text, [](char c) { return c < '0' || c > '9'; });
    const auto n = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(n);
    return n;
  };
  const auto skip = [&text](std::string_view any) {
    const bool hit = !text.empty() && any.find(text.front()) != std::string_view::npos;
    if (hit) text.remove_prefix(1);
    return hit;
  };
  skip("+-");
  std::size_t n = digits();
  if (skip(".")) n += digits();
  if (n == 0) return false;
  if (skip("eE")) {
    skip("+-");
    if (digits() == 0) return false;
  }
  return text.empty();
}

Result<Number> read_float(std::string_view token) {
  if (!is_float(token)) return fail(Code::invalid, shown(token) + " is not a number, boolean or quoted string");
  const std::string_view text = token.starts_with('+') ? token.substr(1) : token;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(text).c_str(), nullptr);  // tells too small (0 or denormal) from too large
  }
  if (value - value != 0) return fail(Code::invalid, "number " + shown(token) + " is over the range of doubles");
  return Number{std::bit_cast<std::int64_t>(value), Number::kDouble};
}

}  // namespace

Result<Number> read_value(std::string_view token) {
  if (token.empty()) return fail(Code::invalid, "a field has no value");
  for (const std::string_view yes : {"t", "T", "true", "True", "TRUE"}) {
    if (token == yes) return Number{1, Number::kLong};
  }
  for (const std::string_view no : {"f", "F", "false", "False", "FALSE"}) {
    if (token == no) return Number{0, Number::kLong};
  }
  if (token.ends_with('i') || token.ends_with('u')) return read_integer(token.substr(0, token.size() - 1), token);
  return read_float(token);
}

}  // namespace varve::protocol::influx
