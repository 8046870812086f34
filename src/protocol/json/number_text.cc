// SPDX-License-Identifier: Apache-2.0
// An answer is millions of doubles, most of them within [1e-3, 1e7): there whole numbers of 128 bits hold exactly what
// the shortest form is found by, and the digits are made all at once.
#include "protocol/json/number_text.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

namespace varve::protocol::json {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::uint64_t kEight = 100'000'000;

constexpr auto powers_of(std::uint64_t base) {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * base;
  return powers;
}
constexpr auto kFives = powers_of(5);
constexpr auto kTens = powers_of(10);

char* write_text(char* at, std::string_view text) { return std::copy(text.begin(), text.end(), at); }

// The digits of a number below 10^8. Eights, fours and pairs are parted by multiplication, and then lie beside each
// other in one word.
void write_eight(char* at, std::uint64_t eight) {
  const std::uint64_t fours = eight / 10'000 + ((eight % 10'000) << 32);
  const std::uint64_t hundreds = ((fours * 10'486) >> 20) & 0x7f'0000'007f;
  const std::uint64_t pairs = hundreds + ((fours - hundreds * 100) << 16);
  const std::uint64_t tens = ((pairs * 103) >> 10) & 0xf'000f'000f'000f;
  const std::uint64_t text = (tens + ((pairs - tens * 10) << 8)) | 0x3030'3030'3030'3030;
  std::memcpy(at, &text, sizeof text);
}

// The same of four numbers at once: the quotients of numbers by something, and above each what is left of its number
// without the product.
__m256i parted(__m256i numbers, __m256i quotients, __m256i products, int bits) {
  return _mm256_or_si256(quotients, _mm256_slli_epi64(_mm256_sub_epi32(numbers, products), bits));
}

// 32 digits of four numbers below 10^8, eight of each.
struct Digits {
  Digits(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    const auto word = [](std::uint64_t number) { return static_cast<long long>(number); };
    const __m256i eights = _mm256_set_epi64x(word(d), word(c), word(b), word(a));
    const __m256i high = _mm256_srli_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(109'951'163)), 40);
    const __m256i fours = parted(eights, high, _mm256_mul_epu32(high, _mm256_set1_epi64x(10'000)), 32);
    const __m256i hundreds = _mm256_srli_epi16(_mm256_mulhi_epu16(fours, _mm256_set1_epi16(10'486)), 4);
    const __m256i pairs = parted(fours, hundreds, _mm256_mullo_epi16(hundreds, _mm256_set1_epi16(100)), 16);
    const __m256i tens = _mm256_mulhi_epu16(pairs, _mm256_set1_epi16(6'554));
    const __m256i ones = parted(pairs, tens, _mm256_mullo_epi16(tens, _mm256_set1_epi16(10)), 8);
    text = _mm256_or_si256(ones, _mm256_set1_epi8('0'));
    is_some = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(ones, _mm256_setzero_si256())));
  }
  // Those of a or b without the first few; writes 8 characters.
  template <int kNumber>
  void write(char* at, std::size_t without) const {
    const auto characters = static_cast<std::uint64_t>(_mm256_extract_epi64(text, kNumber)) >> (without * 8);
    std::memcpy(at, &characters, sizeof characters);
  }
  // All 16 of c and d.
  void write_last(char* at) const {
    const __m128i characters = _mm256_extracti128_si256(text, 1);
    std::memcpy(at, &characters, sizeof characters);
  }
  __m256i text;
  std::uint32_t is_some;  // which are not 0: a bit each, the lowest for the first
};

// A number that is not whole, its decimals in two parts: `before` of them, at most 8, and then 16.
struct Decimal {
  std::uint64_t whole;
  std::uint64_t before;
  std::uint64_t first;
  std::uint64_t last;
};

// Of all decimals that are nearer to `size` than to any other double the one with the fewest digits, of those the
// nearest. size is in [1e-3, 1e7) and not whole.
//
// size is m / 2^s, and what reads back as it lies within half of 2^-s, the bounds included if m is even. The steps of
// 10^-n are the largest that are smaller than 2^-s: one of them is always within, and of ten times that at most one; if
// that is, every shorter form is the same number. Counted in 10^-n / 2^(s + 1 - n) everything is whole.
Decimal shortest(double size) {
  const auto bits = std::bit_cast<std::uint64_t>(size);
  const std::uint64_t m = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  const std::uint64_t s = 1075 - (bits >> 52);  // 29 to 62
  const std::uint64_t n = s * 1233 / 4096 + 1;  // 10^(n - 1) < 2^s < 10^n; 9 to 19
  const std::uint64_t shift = s + 1 - n;        // 21 to 44
  const std::uint64_t step = std::uint64_t{1} << shift;
  const std::uint64_t half = kFives[n];  // of 2^-s
  const Wide exact = static_cast<Wide>(2 * m) * half;
  const auto low = static_cast<std::uint64_t>(exact);
  std::uint64_t decimal = low >> shift | static_cast<std::uint64_t>(exact >> 64) << (64 - shift);
  const std::uint64_t over = low & (step - 1);

  // Without branches: which it is cannot be foreseen.
  const std::uint64_t last = decimal % 10;
  const std::uint64_t down = last * step + over + (m & 1);  // to the next number with a zero at the end
  const std::uint64_t up = 10 * step - last * step - over + (m & 1);
  const auto when = [](bool condition, std::uint64_t number) { return (0 - std::uint64_t{condition}) & number; };
  const std::uint64_t to_zero = when(up <= half, 10) - last;
  const std::uint64_t to_nearest = when(over + (last & 1) > step / 2, 1);
  decimal += when(std::min(down, up) <= half, to_zero - to_nearest) + to_nearest;

  const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(size));
  const std::uint64_t fraction = decimal - whole * kTens[n];
  if (n <= 16) return {whole, 0, 0, fraction * kTens[16 - n]};
  return {whole, n - 16, fraction / kTens[16], fraction % kTens[16]};
}

// What has four decimals or fewer, as most that is measured has, is quickly found: of up to 15 digits no two forms read
// back as the same number. False: it has more.
bool has_few_decimals(double size, Decimal& out) {
  const auto number = static_cast<std::int64_t>(size * 1e4 + 0.5);
  if (static_cast<double>(number) / 1e4 != size) return false;
  const auto digits = static_cast<std::uint64_t>(number);
  out = {digits / kTens[4], 0, 0, digits % kTens[4] * kTens[12]};
  return true;
}

char* write_decimal(char* at, double size) {
  Decimal decimal;
  if (!has_few_decimals(size, decimal)) decimal = shortest(size);
  const Digits digits(decimal.whole, decimal.first, decimal.last / kEight, decimal.last % kEight);
  const auto unused = static_cast<std::size_t>(std::countr_zero(digits.is_some | 0x80));
  digits.write<0>(at, unused);
  at += 8 - unused;
  *at++ = '.';
  if (decimal.before != 0) digits.write<1>(at, 8 - decimal.before);
  at += decimal.before;
  digits.write_last(at);
  return at + 16 - std::countl_zero(digits.is_some);
}

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

char* write_long(char* at, std::int64_t value) { return std::to_chars(at, at + kNumberChars, value).ptr; }

char* NeighbourText::write(char* at, std::int64_t value) {
  const std::int64_t front = value / static_cast<std::int64_t>(kEight);
  if (front <= 0) return write_long(at, value);
  if (front != front_) {
    front_ = front;
    length_ = static_cast<std::size_t>(write_long(text_, front) - text_);
  }
  std::memcpy(at, text_, sizeof text_);
  write_eight(at + length_, static_cast<std::uint64_t>(value - front * static_cast<std::int64_t>(kEight)));
  return at + length_ + 8;
}

char* write_double(char* at, double value) {
  const double size = std::abs(value);
  if (size < 0x1p63 && value == std::trunc(value)) {
    // The only whole number an integer cannot say.
    if (value == 0 && std::signbit(value)) return write_text(at, "-0.0");
    return write_long(at, static_cast<std::int64_t>(value));
  }
  if (size >= 1e-3 && size < 1e7) {
    *at = '-';
    return write_decimal(at + (value < 0 ? 1 : 0), size);
  }
  return std::isfinite(value) ? write_with_exponent(at, value) : write_text(at, "null");
}

void append_long(std::string& out, std::int64_t value) { append(out, write_long, value); }
void append_unsigned(std::string& out, std::uint64_t value) {
  char text[kNumberChars];
  out.append(text, std::to_chars(text, text + kNumberChars, value).ptr);
}
void append_double(std::string& out, double value) { append(out, write_double, value); }

}  // namespace varve::protocol::json
