// SPDX-License-Identifier: Apache-2.0
// ASCII helpers for protocol text, independent of the locale.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace varve {

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

// A set of characters, asked with one load. `letters_and_digits` adds a-z, A-Z and 0-9.
class CharSet {
 public:
  constexpr explicit CharSet(std::string_view chars, bool letters_and_digits = false) {
    for (const char c : chars) has_[static_cast<unsigned char>(c)] = true;
    for (int c = 0; letters_and_digits && c < 26; ++c) has_['a' + c] = has_['A' + c] = true;
    for (int c = 0; letters_and_digits && c < 10; ++c) has_['0' + c] = true;
  }
  constexpr void add_from(unsigned first) {  // to 255
    for (std::size_t c = first; c < has_.size(); ++c) has_[c] = true;
  }
  [[nodiscard]] constexpr bool contains(char c) const { return has_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> has_{};
};

// Trims blanks and tabs at both ends.
inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace varve
