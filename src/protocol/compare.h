// SPDX-License-Identifier: Apache-2.0
// Compares and scans for the parsers' fast ways, 32 bytes at a time: they may read 32 bytes past what they are asked
// about.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace varve::protocol {

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

#endif

// Reads 32 bytes of both if size is less, else no more than size.
inline bool same_bytes(const char* a, const char* b, std::size_t size) {
  if (size < 32) return size == 0 || ~mask_of_equal(a, b) << (32 - size) == 0;
  for (std::size_t at = 0; at + 32 < size; at += 32) {
    if (mask_of_equal(a + at, b + at) != 0xffffffff) return false;
  }
  return mask_of_equal(a + size - 32, b + size - 32) == 0xffffffff;
}

}  // namespace varve::protocol
