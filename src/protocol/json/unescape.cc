// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/unescape.h"

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>

namespace varve::protocol::json {
namespace {

// What the letter behind a backslash stands for; 0: nothing.
constexpr std::array<char, 256> kMeant = [] {
  std::array<char, 256> meant{};
  meant['"'] = '"', meant['\\'] = '\\', meant['/'] = '/';
  meant['b'] = '\b', meant['f'] = '\f', meant['n'] = '\n', meant['r'] = '\r', meant['t'] = '\t';
  return meant;
}();

// Value of a hex digit; above 15: it is none.
constexpr std::array<std::uint8_t, 256> kHexValue = [] {
  std::array<std::uint8_t, 256> value{};
  value.fill(0xff);
  for (unsigned c = 0; c < 10; ++c) value['0' + c] = static_cast<std::uint8_t>(c);
  for (unsigned c = 0; c < 6; ++c) value['a' + c] = value['A' + c] = static_cast<std::uint8_t>(10 + c);
  return value;
}();

// The four hex digits at `at`; above 0xffff: they are not.
unsigned hex4_at(const char* at) {
  unsigned value = 0;
  unsigned seen = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint8_t digit = kHexValue[static_cast<unsigned char>(at[i])];
    seen |= digit;
    value = value << 4 | (digit & 15U);
  }
  return seen > 15 ? 0x10000 : value;
}

void copy_32(const char* from, char* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

// Copies 32 bytes; a bit for each of them that is a quote, a backslash or a control character.
std::uint64_t copy_and_find_stops(const char* from, char* to) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
  const __m256i controls = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1f)), bytes);
  const __m256i others = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')),
                                         _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\')));
  return static_cast<unsigned>(_mm256_movemask_epi8(_mm256_or_si256(controls, others)));
}

// `at` stands behind the backslash. nullptr: it is not uXXXX, or half of a surrogate pair.
const char* put_unicode(const char* at, char*& out) {
  if (*at != 'u') return nullptr;
  unsigned character = hex4_at(at + 1);
  if (character > 0xffff) return nullptr;
  at += 5;
  if (character >= 0xd800 && character < 0xe000) {
    const unsigned low = character < 0xdc00 && at[0] == '\\' && at[1] == 'u' ? hex4_at(at + 2) : 0;
    if (low < 0xdc00 || low >= 0xe000) return nullptr;
    character = 0x10000 + ((character & 0x3ff) << 10) + (low & 0x3ff);
    at += 6;
  }
  out = put_utf8(out, character);
  return at;
}

}  // namespace

char* put_utf8(char* out, unsigned character) {
  const auto tail = [&](unsigned shift) { *out++ = static_cast<char>(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) {
    *out++ = static_cast<char>(character);
  } else if (character < 0x800) {
    *out++ = static_cast<char>(0xc0 | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    *out++ = static_cast<char>(0xe0 | character >> 12);
    tail(6), tail(0);
  } else {
    *out++ = static_cast<char>(0xf0 | character >> 18);
    tail(12), tail(6), tail(0);
  }
  return out;
}

// A block of 32 bytes is looked at once. What is plain is copied 32 bytes at a time, more than is known to be plain:
// what comes later is written over it.
const char* unescape(const char* at, const char* end, char*& out) {
  while (at < end) {
    std::uint64_t stops = copy_and_find_stops(at, out);
    const char* const block_end = at + 32;
    for (; stops != 0; copy_32(at, out)) {
      const int plain = std::countr_zero(stops);
      at += plain;
      out += plain;
      if (at >= end) return nullptr;
      if (*at == '"') return at + 1;
      if (*at != '\\') return nullptr;
      const char meant = kMeant[static_cast<unsigned char>(at[1])];
      if (meant == 0) break;
      *out++ = meant;
      at += 2;
      stops >>= plain + 2;
    }
    if (stops != 0) {
      at = put_unicode(at + 1, out);
      if (at == nullptr) return nullptr;
    } else if (at < block_end) {
      out += block_end - at;
      at = block_end;
    }
  }
  return nullptr;
}

}  // namespace varve::protocol::json
