// SPDX-License-Identifier: Apache-2.0
#include "message/words.h"

#include <algorithm>
#include <bit>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace varve::message {
namespace {

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// Does a word of the text begin at `at` with `lowered`, and, if it is `whole`, end with it?
bool stands_at(std::string_view text, std::size_t at, std::string_view lowered, bool whole) {
  if (at > 0 && kWordChars.contains(text[at - 1])) return false;
  const std::size_t end = at + lowered.size();
  if (whole && end < text.size() && kWordChars.contains(text[end])) return false;
  return begins_word(text.substr(at), lowered);
}

// Is it somewhere in the text? Nearly every place is excluded by its first and its last character, many at once.
bool stands_in(std::string_view text, std::string_view lowered, bool whole) {
  const std::size_t n = lowered.size();
  if (n == 0 || n > text.size()) return false;
  const std::size_t places = text.size() - n + 1;
  std::size_t i = 0;
#ifdef __AVX2__
  const auto all = [](char c) { return _mm256_set1_epi8(c); };
  const auto load = [](const char* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); };
  const char a = lowered.front(), z = lowered.back();
  const __m256i first = all(a), last = all(z);
  // Upper case becomes lower case with this bit; it would make other characters equal to what they are not.
  const __m256i fold_first = all(is_letter(a) ? 0x20 : 0), fold_last = all(is_letter(z) ? 0x20 : 0);
  for (; i + 32 <= places; i += 32) {
    const __m256i begins = _mm256_cmpeq_epi8(_mm256_or_si256(load(text.data() + i), fold_first), first);
    const __m256i ends = _mm256_cmpeq_epi8(_mm256_or_si256(load(text.data() + i + n - 1), fold_last), last);
    auto found = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_and_si256(begins, ends)));
    for (; found != 0; found &= found - 1) {
      if (stands_at(text, i + static_cast<std::size_t>(std::countr_zero(found)), lowered, whole)) return true;
    }
  }
#endif
  for (; i < places; ++i) {
    if (lower(text[i]) == lowered[0] && stands_at(text, i, lowered, whole)) return true;
  }
  return false;
}

}  // namespace

bool is_word(std::string_view word, std::string_view lowered) {
  return word.size() == lowered.size() && begins_word(word, lowered);
}

bool begins_word(std::string_view word, std::string_view lowered) {
  if (word.size() < lowered.size()) return false;
  return std::ranges::equal(word.substr(0, lowered.size()), lowered, {}, [](char c) { return lower(c); });
}

bool has_word(std::string_view text, std::string_view lowered) { return stands_in(text, lowered, true); }

bool has_word_prefix(std::string_view text, std::string_view lowered) {
  if (lowered.empty()) return std::ranges::any_of(text, [](char c) { return kWordChars.contains(c); });
  return stands_in(text, lowered, false);
}

bool is_one_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return kWordChars.contains(c); });
}

}  // namespace varve::message
