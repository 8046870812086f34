// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/number.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace varve::protocol::json {
namespace {

constexpr std::size_t digits_at(std::string_view text, std::size_t from) {
  std::size_t at = from;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at - from;
}

// [-]digits[.digits][e[+-]digits] with at least one digit before the exponent.
bool is_decimal_text(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  std::size_t digits = digits_at(text, at);
  at += digits;
  if (at < text.size() && text[at] == '.') {
    const std::size_t decimals = digits_at(text, ++at);
    at += decimals;
    digits += decimals;
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if ((text[at] | 0x20) != 'e') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  const std::size_t exponent = digits_at(text, at);
  return exponent > 0 && at + exponent == text.size();
}

// from_chars does not say whether a number out of range was too large or too small.
bool is_below_one(std::string_view text) {
  const auto e = text.find_first_of("eE");
  const auto mantissa = text.substr(0, e);
  const auto point = mantissa.find('.');
  const auto first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const auto whole = static_cast<double>(point == std::string_view::npos ? mantissa.size() : point);
  double exponent = 0;
  if (e != std::string_view::npos) {
    const bool down = text[e + 1] == '-';
    for (const char c : text.substr(e + 1)) {
      if (c >= '0' && c <= '9') exponent = exponent * 10 + (c - '0');
    }
    if (down) exponent = -exponent;
  }
  return whole - static_cast<double>(first) + exponent < 0;
}

}  // namespace

std::optional<double> to_double(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return {};
  }
  if (!is_decimal_text(text)) return {};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = is_below_one(text) ? 0.0 : std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -value : value;
  }
  return value;
}

std::optional<std::int64_t> to_long(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return {};
  }
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end) return {};
  return value;
}

std::int64_t to_wrapped_long(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  const auto e = number.find_first_of("eE");
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    auto text = number.substr(e + 1);
    exponent = to_long(text).value_or(text.starts_with('-') ? -1'000'000'000'000 : 1'000'000'000'000);
    number = number.substr(0, e);
  }
  const auto point = number.find('.');
  const auto whole = static_cast<std::int64_t>(point == std::string_view::npos ? number.size() : point);
  const auto taken = exponent > 1'000'000'000'000 ? exponent : whole + exponent;  // digits before the moved point
  std::uint64_t value = 0;
  std::int64_t index = 0;
  for (const char c : number) {
    if (c == '.') continue;
    if (index++ >= taken) break;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  for (std::int64_t i = index; i < taken && i < index + 64; ++i) value *= 10;  // 10^64 is 0 modulo 2^64
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

bool add_number(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, const Number& number,
                std::string_view text) {
  switch (number.kind) {
    case Number::Kind::whole: batch.add_longs(group, time, {&number.mantissa, 1}); return true;
    case Number::Kind::decimal: batch.add_decimals(group, time, {&number.mantissa, 1}, number.decimals); return true;
    default: break;
  }
  const auto value = to_double(text);
  if (!value || !std::isfinite(*value)) return false;
  batch.add(group, time, model::Value::of_double(*value));
  return true;
}

}  // namespace varve::protocol::json
