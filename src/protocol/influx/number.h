// SPDX-License-Identifier: Apache-2.0
// Numbers of the line protocol, read where they stand.
//
// A number of up to 18 digits is read eight digits at a time into (mantissa, decimals): no loop over digits, no
// floating point. The pair is exact, so the double mantissa / 10^decimals is the correctly rounded one (model/row.h).
// Everything else (exponents, more digits, −0, booleans) goes through read_value, which is rarely called.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/bytes.h"
#include "base/result.h"
#include "model/row.h"

namespace varve::protocol::influx {

// A field's value. `shape` is 0..15: the double bits / 10^shape; kLong: an integer; kDouble: IEEE 754 bits.
// The shapes are bits that OR together to what kinds a row holds.
struct Number {
  static constexpr unsigned kDecimals = 15;
  static constexpr unsigned kLong = 16;
  static constexpr unsigned kDouble = 32;
  std::int64_t bits = 0;
  unsigned shape = 0;

  [[nodiscard]] model::Value value() const {
    if (shape == kLong) return model::Value::of_long(bits);
    if (shape == kDouble) return {model::ValueType::double_, std::bit_cast<std::uint64_t>(bits), {}};
    return model::Value::of_double(static_cast<double>(bits) / model::kPowerOfTen[shape]);
  }
};

inline constexpr std::int64_t kTenTo[] = {1,
                                          10,
                                          100,
                                          1'000,
                                          10'000,
                                          100'000,
                                          1'000'000,
                                          10'000'000,
                                          100'000'000,
                                          1'000'000'000,
                                          10'000'000'000,
                                          100'000'000'000,
                                          1'000'000'000'000,
                                          10'000'000'000'000,
                                          100'000'000'000'000,
                                          1'000'000'000'000'000,
                                          10'000'000'000'000'000,
                                          100'000'000'000'000'000,
                                          1'000'000'000'000'000'000};

// A byte that is no digit, of eight that are XORed with '0', has its top bit set in the result; all below the first
// such byte are right, and all below the second, too, if the first is a point: a carry can only come from a byte over
// 0x89.
inline std::uint64_t mask_of_others(std::uint64_t t) { return ((t + 0x7676767676767676) | t) & 0x8080808080808080; }

// The number whose eight digits these are, the first one in the lowest byte.
inline std::uint64_t number_of_digits8(std::uint64_t t) {
#ifdef __AVX2__
  // Pairs of digits, fours, all eight.
  const __m128i pairs = _mm_maddubs_epi16(_mm_cvtsi64_si128(static_cast<long long>(t)), _mm_set1_epi16(0x010a));
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001'0064));
  const __m128i eight = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x0001'2710));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(eight));
#else
  t = (t * 10 + (t >> 8)) & 0x00ff00ff00ff00ff;
  t = (t * 100 + (t >> 16)) & 0x0000ffff0000ffff;
  return (t * 10000 + (t >> 32)) & 0xffffffff;
#endif
}

// The digits that begin at `at`, at most 8 of them (8 bytes must be readable): how many there are, and their number.
inline unsigned read_digits8(const char* at, std::uint64_t& number) {
  std::uint64_t t = load_le<std::uint64_t>(at) ^ 0x3030303030303030;
  const std::uint64_t other = mask_of_others(t);
  const unsigned count = other == 0 ? 8 : static_cast<unsigned>(std::countr_zero(other)) / 8;
  if (count == 0) {
    number = 0;
    return 0;
  }
  number = number_of_digits8(t << (64 - count * 8));  // leading zeros take the place of what is missing
  return count;
}

// Digits from `at` on; `number` is right while their count, which is returned, is at most 19; stops at 24.
inline unsigned read_digits(const char*& at, std::uint64_t& number) {
  unsigned count = read_digits8(at, number);
  at += count;
  if (count < 8) [[likely]]
    return count;
  std::uint64_t more = 0;
  for (unsigned round = 0; round < 2; ++round) {
    const unsigned n = read_digits8(at, more);
    at += n;
    count += n;
    number = number * static_cast<std::uint64_t>(kTenTo[n]) + more;
    if (n < 8) break;
  }
  return count;
}

// Like read_number() for what most numbers are: a whole number with its 'i', or a decimal one with its point and what
// ends it, of 8 bytes at most, without a sign. Its size; 0: it is none of them.
//
// Each number of a line begins where the one before it ends. So that the way from `at` to the size is short, it is
// asked afterwards whether these are digits.
inline std::size_t read_short_unsigned(const char* at, Number& out) {
  constexpr std::uint64_t kTops = 0x8080808080808080;
  const auto text = load_le<std::uint64_t>(at);
  const std::uint64_t t = text ^ 0x3030303030303030;
  const std::uint64_t sum = t + 0x7676767676767676;  // see mask_of_others()
  const std::uint64_t others = sum & kTops << 8;     // the first byte has to be a digit
  const std::uint64_t marks = (sum | t) & kTops;
  if (others == 0) [[unlikely]]
    return 0;
  const auto top = static_cast<unsigned>(std::countr_zero(others));
  const unsigned bits = top - 7;  // of the digits at the beginning
  const auto after = static_cast<char>(text >> bits);
  if (after == 'i') [[likely]] {
    if (marks << (64 - bits) != 0) [[unlikely]]
      return 0;
    out = {static_cast<std::int64_t>(number_of_digits8(t << (64 - bits))), Number::kLong};
    return top / 8 + 1;
  }
  const std::uint64_t more = others & (others - 1);
  if (after != '.' || more == 0) return 0;
  const auto end_top = static_cast<unsigned>(std::countr_zero(more));
  const unsigned end = end_top - 7;
  const std::uint64_t whole = (std::uint64_t{1} << bits) - 1;
  const auto without_point = [&](std::uint64_t bytes) {
    return ((bytes & whole) | (bytes >> 8 & ~whole)) << (72 - end);
  };
  if (without_point(marks) != 0) return 0;
  out = {static_cast<std::int64_t>(number_of_digits8(without_point(t))), (end - bits) / 8 - 1};
  return end_top / 8;
}

// The same with a sign. Few series have now one and now none, so a branch is right mostly.
inline std::size_t read_short_number(const char* at, Number& out) {
  if (*at != '-') [[likely]]
    return read_short_unsigned(at, out);
  const std::size_t size = read_short_unsigned(at + 1, out);
  if (size == 0 || (out.bits == 0 && out.shape != Number::kLong)) return 0;
  out.bits = -out.bits;
  return size + 1;
}

// Reads a plain number at `at` (at least 32 bytes readable) and moves `at` behind it. False: it is not one that the
// fast way reads exactly; `at` is then anywhere. What follows the number is the caller's to check.
inline bool read_number(const char*& at, Number& out) {
  const bool negative = *at == '-';
  at += negative;
  std::uint64_t number = 0;
  unsigned digits = read_digits(at, number);
  unsigned decimals = 0;
  if (*at == '.') {
    ++at;
    std::uint64_t fraction = 0;
    decimals = read_digits(at, fraction);
    digits += decimals;
    if (digits > 18 || decimals > model::kRowDecimalsMax) return false;
    number = number * static_cast<std::uint64_t>(kTenTo[decimals]) + fraction;
  } else if (*at == 'i' || (*at == 'u' && !negative)) {
    if (digits == 0 || digits > 18) return false;
    ++at;
    const auto magnitude = static_cast<std::int64_t>(number);
    out.bits = negative ? -magnitude : magnitude;
    out.shape = Number::kLong;
    return true;
  }
  if (digits == 0 || digits > 18 || number >= std::uint64_t{1} << 53 || (number == 0 && negative)) return false;
  const auto magnitude = static_cast<std::int64_t>(number);
  out.bits = negative ? -magnitude : magnitude;
  out.shape = decimals;
  return true;
}

// The whole token is one value: a number of any form, or a boolean (a long 1 or 0).
// Errors (invalid): not a value; an integer over 64 bits signed; a float over the range of doubles; NaN, infinity.
Result<Number> read_value(std::string_view token);

}  // namespace varve::protocol::influx
