// SPDX-License-Identifier: Apache-2.0
// Words of a text: runs of ASCII letters, digits, '_' and bytes beyond ASCII. Upper and lower case of ASCII letters are
// the same word.
#pragma once

#include <string>
#include <string_view>

#include "base/ascii.h"

namespace varve::message {

inline constexpr CharSet kWordChars = [] {
  CharSet set("_", true);
  set.add_from(0x80);
  return set;
}();

// Calls `each(word)` for every word of the text, as it is written; stops when it returns true, and returns that.
template <class Each>
bool any_word(std::string_view text, const Each& each) {
  for (std::size_t i = 0; i < text.size();) {
    if (!kWordChars.contains(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && kWordChars.contains(text[end])) ++end;
    if (each(text.substr(i, end - i))) return true;
    i = end;
  }
  return false;
}

// Is `word`, as it is written, the same as `lowered`, or does it begin with it?
bool is_word(std::string_view word, std::string_view lowered);
bool begins_word(std::string_view word, std::string_view lowered);

// Is there a word that is, or begins with, `lowered` (lower case, word characters only)?
bool has_word(std::string_view text, std::string_view lowered);
bool has_word_prefix(std::string_view text, std::string_view lowered);

// Is the text one word?
bool is_one_word(std::string_view text);

}  // namespace varve::message
