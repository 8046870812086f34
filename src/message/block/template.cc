// SPDX-License-Identifier: Apache-2.0
#include "message/block/template.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "message/words.h"

namespace varve::message::block {
namespace {

enum : std::uint8_t { kWord = 1, kDigit = 2, kLowHex = 4, kUpHex = 8, kOther = 16, kZero = 32 };
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
  of[0] = kZero;
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

}  // namespace

bool is_variable(std::string_view word) { return varies(classes_of(word), word.size()); }

bool may_be_variable(std::string_view lowered) { return is_variable(lowered); }

std::uint32_t letters_of(std::string_view word) {
  std::uint32_t letters = 0;
  for (const char c : word) letters |= kLetters[static_cast<unsigned char>(c)];
  return letters;
}

bool Splitter::split(std::string_view text) {
  variables_.clear();
  if (pattern_.size() < text.size()) pattern_.resize(text.size() * 2 + 64);
  const char* const end = text.data() + text.size();
  const char* literal = text.data();  // what is not yet in the pattern begins here
  char* to = pattern_.data();
  for (const char* at = text.data(); at != end;) {
    unsigned classes = class_of(*at);
    if (classes == 0) {
      ++at;
      continue;
    }
    if (classes == kZero) return false;
    const char* const word = at++;
    for (unsigned c = 0; at != end && ((c = class_of(*at)) & kWord) != 0; ++at) classes |= c;
    const auto size = static_cast<std::size_t>(at - word);
    if (!varies(classes, size)) continue;
    const auto before = static_cast<std::size_t>(word - literal);
    std::memcpy(to, literal, before);
    to += before;
    *to++ = kVariable;
    literal = at;
    variables_.emplace_back(word, size);
  }
  const auto rest = static_cast<std::size_t>(end - literal);
  if (rest != 0) std::memcpy(to, literal, rest);
  used_ = static_cast<std::size_t>(to - pattern_.data()) + rest;
  return true;
}

std::size_t variables_of(std::string_view pattern) {
  return static_cast<std::size_t>(std::ranges::count(pattern, kVariable));
}

}  // namespace varve::message::block
