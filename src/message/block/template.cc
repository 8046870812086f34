// SPDX-License-Identifier: Apache-2.0
#include "message/block/template.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "message/block/char_masks.h"
#include "message/words.h"

namespace varve::message::block {
namespace {

enum : std::uint8_t { kWord = 1, kDigit = 2, kLowHex = 4, kUpHex = 8, kOther = 16 };
constexpr std::size_t kHexWordMin = 4;

constexpr std::array<std::uint8_t, 256> kClass = [] {
  std::array<std::uint8_t, 256> of{};
  for (int c = 1; c < 256; ++c) {
    if (!kWordChars.contains(static_cast<char>(c))) continue;
    const bool digit = c >= '0' && c <= '9', low = c >= 'a' && c <= 'f', up = c >= 'A' && c <= 'F';
    of[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(kWord | (digit ? kDigit
                                                                         : low ? kLowHex
                                                                         : up  ? kUpHex
                                                                               : kOther));
  }
  return of;
}();

constexpr std::array<std::uint32_t, 256> kLetters = [] {
  std::array<std::uint32_t, 256> of{};
  for (unsigned c = 0; c < 26; ++c) of['a' + c] = of['A' + c] = 1U << c;
  of['_'] = 1U << 26;
  for (unsigned c = 128; c < 256; ++c) of[c] = kOtherLetters;
  return of;
}();

constexpr std::uint8_t class_of(char c) { return kClass[static_cast<unsigned char>(c)]; }

// `classes` of all characters of the word.
constexpr bool varies(unsigned classes, std::size_t size) {
  if ((classes & kDigit) != 0) return true;
  return size >= kHexWordMin && (classes == (kWord | kLowHex) || classes == (kWord | kUpHex));
}

unsigned classes_of(std::string_view word) {
  unsigned classes = 0;
  for (const char c : word) classes |= class_of(c);
  return classes;
}

// Which characters are the fourth, or a later one, of a run. `before`: the mask of the 64 in front of these.
std::uint64_t fourths(std::uint64_t mask, std::uint64_t before) {
  static_assert(kHexWordMin == 4);
  return mask & (mask << 1 | before >> 63) & (mask << 2 | before >> 62) & (mask << 3 | before >> 61);
}

// The bits of the characters from `place` on, of the 64 from `first` on.
std::uint64_t bits_from(std::size_t place, std::size_t first) {
  if (place <= first) return ~std::uint64_t{0};
  return place - first >= kMaskChars ? 0 : ~std::uint64_t{0} << (place - first);
}

}  // namespace

bool is_variable(std::string_view word) { return varies(classes_of(word), word.size()); }

bool may_be_variable(std::string_view lowered) { return is_variable(lowered); }

std::uint32_t letters_of(std::string_view word) {
  std::uint32_t letters = 0;
  for (const char c : word) letters |= kLetters[static_cast<unsigned char>(c)];
  return letters;
}

// False: there is a byte 0.
bool Splitter::find_candidates(std::string_view text) {
  const std::size_t blocks = (text.size() + kMaskChars - 1) / kMaskChars;
  if (words_.size() < blocks) {
    words_.resize(blocks * 2);
    candidates_.resize(blocks * 2);
  }
  CharMasks before;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t at = b * kMaskChars;
    const CharMasks now = masks_of(text.data() + at, std::min(kMaskChars, text.size() - at));
    if (now.zero != 0) return false;
    words_[b] = now.word;
    candidates_[b] = now.digit | fourths(now.low_hex, before.low_hex) | fourths(now.up_hex, before.up_hex);
    before = now;
  }
  return true;
}

std::size_t Splitter::begin_of_word(std::size_t place) const {
  std::size_t b = place / kMaskChars;
  std::uint64_t gaps = ~words_[b] & ((std::uint64_t{1} << place % kMaskChars) - 1);
  while (gaps == 0 && b > 0) gaps = ~words_[--b];
  return gaps == 0 ? 0 : b * kMaskChars + static_cast<std::size_t>(std::bit_width(gaps));
}

std::size_t Splitter::end_of_word(std::size_t place, std::size_t size) const {
  std::size_t b = place / kMaskChars;
  std::uint64_t gaps = ~words_[b] & ~std::uint64_t{0} << place % kMaskChars;
  while (gaps == 0 && (b + 1) * kMaskChars < size) gaps = ~words_[++b];
  return gaps == 0 ? size : std::min(size, b * kMaskChars + static_cast<std::size_t>(std::countr_zero(gaps)));
}

bool Splitter::split(std::string_view text) {
  variables_.clear();
  if (!find_candidates(text)) return false;
  if (pattern_.size() < text.size()) pattern_.resize(text.size() * 2 + 64);
  char* to = pattern_.data();
  std::size_t literal = 0;  // what is not yet in the pattern begins here
  std::size_t done = 0;     // words that end before it
  for (std::size_t b = 0; b * kMaskChars < text.size(); ++b) {
    const std::size_t first = b * kMaskChars;
    std::uint64_t left = candidates_[b] & bits_from(done, first);
    while (left != 0) {
      const std::size_t place = first + static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t begin = begin_of_word(place);
      done = end_of_word(place, text.size());
      left &= bits_from(done, first);
      const std::string_view word = text.substr(begin, done - begin);
      if ((class_of(text[place]) & kDigit) == 0 && !is_variable(word)) continue;
      std::memcpy(to, text.data() + literal, begin - literal);
      to += begin - literal;
      *to++ = kVariable;
      literal = done;
      variables_.push_back(word);
    }
  }
  const std::size_t rest = text.size() - literal;
  if (rest != 0) std::memcpy(to, text.data() + literal, rest);
  used_ = static_cast<std::size_t>(to - pattern_.data()) + rest;
  return true;
}

std::size_t variables_of(std::string_view pattern) {
  return static_cast<std::size_t>(std::ranges::count(pattern, kVariable));
}

}  // namespace varve::message::block
