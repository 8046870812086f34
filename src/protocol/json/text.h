// SPDX-License-Identifier: Apache-2.0
// Bytes of JSON text: skipping what is between the quotes, comparing with what is expected, writing strings.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace varve::protocol::json {

inline const char* skip_space(const char* at, const char* end) {
  while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
  return at;
}

// `at` stands behind an opening quote; returns the place behind the closing one, or nullptr if there is none before
// `end`. Reads up to 32 bytes past `end`.
inline const char* skip_string(const char* at, const char* end) {
  const __m256i quote = _mm256_set1_epi8('"');
  const __m256i slash = _mm256_set1_epi8('\\');
  while (at < end) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const auto found = static_cast<unsigned>(
        _mm256_movemask_epi8(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote), _mm256_cmpeq_epi8(bytes, slash))));
    if (found == 0) {
      at += 32;
      continue;
    }
    at += std::countr_zero(found);
    if (at >= end) return nullptr;
    if (*at == '"') return at + 1;
    at += 2;  // the escaped byte cannot close the string
  }
  return nullptr;
}

// The first quote, backslash or control character from `at` on: what a JSON string cannot have as it is. `end` or
// behind it: there is none. Reads up to 32 bytes past `end`.
inline const char* find_string_stop(const char* at, const char* end) {
  const __m256i quote = _mm256_set1_epi8('"');
  const __m256i slash = _mm256_set1_epi8('\\');
  const __m256i control = _mm256_set1_epi8(0x1f);
  for (; at < end; at += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i controls = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, control), bytes);
    const __m256i others = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote), _mm256_cmpeq_epi8(bytes, slash));
    const auto found = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_or_si256(controls, others)));
    if (found != 0) return at + std::countr_zero(found);
  }
  return at;
}

// `at` stands at the '{' of an object whose values are strings, as tags are; returns the place behind its '}', or
// nullptr if it is not plainly that (or empty). Whether names or values are good is not looked at.
inline const char* skip_strings(const char* at, const char* end) {
  char want = ':';  // the next separator
  for (++at;; ++at) {
    at = skip_space(at, end);
    if (at >= end || *at != '"') return nullptr;
    at = skip_string(at + 1, end);
    if (at == nullptr) return nullptr;
    at = skip_space(at, end);
    if (at >= end) return nullptr;
    if (*at == '}' && want == ',') return at + 1;
    if (*at != want) return nullptr;
    want = want == ':' ? ',' : ':';
  }
}

bool is_utf8(std::string_view text);

// Appends "text" in quotes, escaped as JSON wants it. What is not UTF-8 becomes U+FFFD.
void append_string(std::string& out, std::string_view text);

}  // namespace varve::protocol::json
