// SPDX-License-Identifier: Apache-2.0
// Numbers as text: eight digits a step where they are ordinary, exact and slower where they are not.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "model/line_group.h"
#include "model/row.h"

namespace varve::protocol::json {

// What scan_number found. `mantissa` and `decimals` say the value for whole and decimal; for exact, the text does.
struct Number {
  enum class Kind : std::uint8_t { none, whole, decimal, exact };
  std::int64_t mantissa = 0;
  unsigned decimals = 0;
  Kind kind = Kind::none;
};

inline constexpr std::uint64_t kTenTo[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Eight characters at `at` with the bits of '0' taken off, and 0x80 in each byte that is no digit (exact up to and with
// the first of those that is not '.', '-' or '+').
struct Eight {
  std::uint64_t digits, stops;
  explicit Eight(const char* at)
      : digits(load_le<std::uint64_t>(at) ^ 0x3030303030303030),
        stops((digits | (digits + 0x7676767676767676)) & 0x8080808080808080) {}
};

// The number of the first `count` (1..8) digits.
inline std::uint64_t number_of(std::uint64_t digits, unsigned count) {
  std::uint64_t v = digits << (64 - 8 * count);  // zeros in front
  v = v * 10 + (v >> 8);
  return ((v & 0x000000ff000000ff) * 0x000f424000000064 + ((v >> 16 & 0x000000ff000000ff) * 0x0000271000000001)) >> 32;
}

// Reads digits at `at`, eight a step, and adds them to `value` (which wraps after 19). Never more than 32 of them, so
// that it reads at most 40 bytes: enough for every number that has a fast way.
inline const char* take_digits(const char* at, std::uint64_t& value) {
  for (int step = 0; step < 4; ++step) {
    const Eight eight(at);
    const unsigned digits = eight.stops == 0 ? 8 : static_cast<unsigned>(std::countr_zero(eight.stops)) >> 3;
    if (digits == 0) return at;
    value = value * kTenTo[digits] + number_of(eight.digits, digits);
    at += digits;
    if (digits < 8) return at;
  }
  return at;
}

// Thirteen digits and then none: the milliseconds of this century. Guessing the length takes it out of the chain of
// loads that each wait for the end of the one before.
inline bool take_13_digits(const char* at, std::int64_t& value) {
  const Eight high(at);
  const Eight low(at + 8);
  if (high.stops != 0 || (low.stops & 0xffffffffffff) != 0x800000000000) return false;
  value = static_cast<std::int64_t>(number_of(high.digits, 8) * 100000 + number_of(low.digits, 5));
  return true;
}

// The JSON number at `at` (64 readable bytes there): returns its end. Kind none: not a plain JSON number, or one whose
// type needs thought (an integer with an exponent or of more than 18 digits); take the general way.
inline const char* scan_number(const char* at, Number& number) {
  number.kind = Number::Kind::none;
  const bool negative = *at == '-';
  at += negative ? 1 : 0;
  const char* const first = at;
  const Eight eight(at);
  const unsigned point_at = static_cast<unsigned>(std::countr_zero(eight.stops)) >> 3;
  const std::uint64_t behind = eight.stops & (eight.stops - 1);
  if (behind != 0 && at[point_at] == '.') {  // digits, point, digits and what follows in eight bytes
    const unsigned end = static_cast<unsigned>(std::countr_zero(behind)) >> 3;
    const bool plain = point_at == 1 || (point_at > 1 && *first != '0');
    if (plain && end > point_at + 1 && (at[end] | 0x20) != 'e') {
      const std::uint64_t whole_mask = (std::uint64_t{1} << 8 * point_at) - 1;
      const std::uint64_t digits = (eight.digits & whole_mask) | (eight.digits >> 8 & ~whole_mask);
      const auto mantissa = static_cast<std::int64_t>(number_of(digits, end - 1));
      if (mantissa != 0 || !negative) {
        number = {negative ? -mantissa : mantissa, end - point_at - 1, Number::Kind::decimal};
        return at + end;
      }
    }
  }
  std::uint64_t mantissa = 0;
  at = take_digits(at, mantissa);
  const auto whole_digits = at - first;
  if (whole_digits == 0 || whole_digits > 18 || (whole_digits > 1 && *first == '0')) return at;
  if (*at != '.') {
    if ((*at | 0x20) == 'e') return at;
    number.mantissa = negative ? -static_cast<std::int64_t>(mantissa) : static_cast<std::int64_t>(mantissa);
    number.decimals = 0;
    number.kind = Number::Kind::whole;
    return at;
  }
  const char* const point = at;
  at = take_digits(at + 1, mantissa);
  const auto decimals = at - point - 1;
  if (decimals == 0 || decimals >= 32) return at;
  if ((*at | 0x20) == 'e') {
    const char* exponent = at + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    const auto stops = Eight(exponent).stops;  // eight bytes, or a long number would be read past its padding
    const auto digits = std::countr_zero(stops) >> 3;
    if (digits > 0 && stops != 0) number.kind = Number::Kind::exact;
    return exponent + digits;
  }
  if (whole_digits + decimals > 18 || decimals > model::kRowDecimalsMax || mantissa >= (std::uint64_t{1} << 53) ||
      (negative && mantissa == 0)) {
    number.kind = Number::Kind::exact;
    return at;
  }
  number.mantissa = negative ? -static_cast<std::int64_t>(mantissa) : static_cast<std::int64_t>(mantissa);
  number.decimals = static_cast<unsigned>(decimals);
  number.kind = Number::Kind::decimal;
  return at;
}

// The nearest double to all of `text`: [+-]digits[.digits][e[+-]digits], as Java and C write it. Nothing if `text` is
// not that; infinite if it is too large. "nan" and "inf" are not numbers here.
std::optional<double> to_double(std::string_view text);

// All of `text` as [+-]digits within int64; nothing otherwise.
std::optional<std::int64_t> to_long(std::string_view text);

// A JSON number (also with fraction and exponent) cut to an integer, modulo 2^64: what Java's BigDecimal.longValue
// says.
std::int64_t to_wrapped_long(std::string_view number);

// Adds one sample. `text` is the number as written; false if it is exact and too large for a double.
bool add_number(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, const Number& number,
                std::string_view text);

}  // namespace varve::protocol::json
