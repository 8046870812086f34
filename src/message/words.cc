// SPDX-License-Identifier: Apache-2.0
#include "message/words.h"

#include <algorithm>

namespace varve::message {

bool is_word(std::string_view word, std::string_view lowered) {
  return word.size() == lowered.size() && begins_word(word, lowered);
}

bool begins_word(std::string_view word, std::string_view lowered) {
  if (word.size() < lowered.size()) return false;
  return std::ranges::equal(word.substr(0, lowered.size()), lowered, {}, [](char c) { return lower(c); });
}

bool has_word(std::string_view text, std::string_view lowered) {
  return any_word(text, [&](std::string_view word) { return is_word(word, lowered); });
}

bool has_word_prefix(std::string_view text, std::string_view lowered) {
  return any_word(text, [&](std::string_view word) { return begins_word(word, lowered); });
}

bool is_one_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return kWordChars.contains(c); });
}

}  // namespace varve::message
