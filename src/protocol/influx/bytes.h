// SPDX-License-Identifier: Apache-2.0
// Compares and scans of the fast way, 32 bytes at a time. They may read 32 bytes past what they are asked about.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace varve::protocol::influx {

#ifdef __AVX2__

inline __m256i load32(const char* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }

// Bit i is set if at[i] equals `c`.
inline std::uint32_t mask_of(__m256i bytes, char c) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c))));
}

inline std::uint32_t mask_of_equal(const char* a, const char* b) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(load32(a), load32(b))));
}

inline std::uint32_t mask_of(const char* at, char c) { return mask_of(load32(at), c); }

// Bits where a name may end: a space, a newline, or a backslash to look at.
inline std::uint32_t mask_of_name_end(const char* at) {
  const __m256i bytes = load32(at);
  return mask_of(bytes, ' ') | mask_of(bytes, '\n') | mask_of(bytes, '\\');
}

#else

template <class Is>
std::uint32_t mask_where(Is is) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 32; ++i) mask |= std::uint32_t{is(i)} << i;
  return mask;
}
inline std::uint32_t mask_of_equal(const char* a, const char* b) {
  return mask_where([&](unsigned i) { return a[i] == b[i]; });
}
inline std::uint32_t mask_of(const char* at, char c) {
  return mask_where([&](unsigned i) { return at[i] == c; });
}
inline std::uint32_t mask_of_name_end(const char* at) {
  return mask_of(at, ' ') | mask_of(at, '\n') | mask_of(at, '\\');
}

#endif

// Reads 32 bytes of both if size is less, else no more than size.
inline bool same_bytes(const char* a, const char* b, std::size_t size) {
  if (size < 32) return size == 0 || ~mask_of_equal(a, b) << (32 - size) == 0;
  for (std::size_t at = 0; at + 32 < size; at += 32) {
    if (mask_of_equal(a + at, b + at) != 0xffffffff) return false;
  }
  return mask_of_equal(a + size - 32, b + size - 32) == 0xffffffff;
}

// Length of the field name with its '=' that `fields` begins with, if the text at `at` begins with it too; else 0.
// `fields` must hold an '='.
inline std::size_t match_field(const char* at, const char* fields) {
  std::size_t done = 0;
  for (;;) {
    const std::uint32_t ends = mask_of(fields + done, '=');
    const std::uint32_t other = ~mask_of_equal(at + done, fields + done);
    // blsmsk: all bits up to the lowest set one; all bits if none is set.
    if ((other & (ends ^ (ends - 1))) != 0) return 0;
    if (ends != 0) [[likely]]
      return done + static_cast<unsigned>(std::countr_zero(ends)) + 1;
    done += 32;
  }
}

// End of the measurement and tags that begin at `at`: the first space that no backslash precedes, or nullptr if the
// line ends before one. The text must hold a newline.
inline const char* find_name_end(const char* at) {
  for (;;) {
    const std::uint32_t mask = mask_of_name_end(at);
    if (mask == 0) {
      at += 32;
      continue;
    }
    at += std::countr_zero(mask);
    if (*at == ' ') return at;
    if (*at == '\n' || at[1] == '\n') return nullptr;
    at += at[1] == '\\' ? 1 : 2;  // of several backslashes, the last one escapes
  }
}

// First of `any`, or the newline that is surely there.
inline const char* find_any(const char* at, std::string_view any) {
  while (*at != '\n' && any.find(*at) == std::string_view::npos) ++at;
  return at;
}

}  // namespace varve::protocol::influx
