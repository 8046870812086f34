// SPDX-License-Identifier: Apache-2.0
#include "message/block/char_masks.h"

#include <algorithm>
#include <array>

#include "message/words.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace varve::message::block {
namespace {

#ifdef __AVX2__

__m256i all_of(int c) { return _mm256_set1_epi8(static_cast<char>(c)); }

// Bits of the characters from `first` to `last`.
std::uint64_t between(__m256i chars, int first, int last) {
  const __m256i from_first = _mm256_sub_epi8(chars, all_of(first));
  const __m256i in = _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, all_of(last - first)), from_first);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(in));
}

std::uint64_t equal_to(__m256i chars, int c) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(chars, all_of(c))));
}

void add_half(const char* at, unsigned shift, CharMasks& out) {
  const __m256i chars = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m256i folded = _mm256_or_si256(chars, all_of(0x20));
  const std::uint64_t beyond_ascii = static_cast<std::uint32_t>(_mm256_movemask_epi8(chars));
  const std::uint64_t digit = between(chars, '0', '9');
  out.digit |= digit << shift;
  out.word |= (digit | between(folded, 'a', 'z') | equal_to(chars, '_') | beyond_ascii) << shift;
  out.low_hex |= between(chars, 'a', 'f') << shift;
  out.up_hex |= between(chars, 'A', 'F') << shift;
  out.zero |= equal_to(chars, 0) << shift;
}

#endif

}  // namespace

CharMasks masks_of(const char* at, std::size_t count) {
  CharMasks out;
#ifdef __AVX2__
  std::array<char, kMaskChars> copied;  // nothing behind the text is read
  if (count < kMaskChars) {
    copied.fill(' ');
    std::copy_n(at, count, copied.data());
    at = copied.data();
  }
  add_half(at, 0, out);
  add_half(at + kMaskChars / 2, kMaskChars / 2, out);
#else
  for (std::size_t i = 0; i < count; ++i) {
    const char c = at[i];
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (kWordChars.contains(c)) out.word |= bit;
    if (c >= '0' && c <= '9') out.digit |= bit;
    if (c >= 'a' && c <= 'f') out.low_hex |= bit;
    if (c >= 'A' && c <= 'F') out.up_hex |= bit;
    if (c == 0) out.zero |= bit;
  }
#endif
  return out;
}

}  // namespace varve::message::block
