// SPDX-License-Identifier: Apache-2.0
// Template: a text with a byte 0 in place of each variable. A variable is a word with a digit, or one of hexadecimal
// letters only: each word of a text is a variable or stands in its template, never a part of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace varve::message::block {

inline constexpr char kVariable = '\0';

bool is_variable(std::string_view word);
// Could a word that is, in lower case, `lowered` be a variable?
bool may_be_variable(std::string_view lowered);
// Could a variable begin with it? With any continuation.
constexpr std::uint32_t kOtherLetters = 1U << 27;
// Which letters (in either case) it has: bits 0 … 25, '_' 26, bytes beyond ASCII 27. Digits have none.
std::uint32_t letters_of(std::string_view word);

// Reused from text to text.
class Splitter {
 public:
  // False: the text has a byte 0, and so no template.
  bool split(std::string_view text);
  [[nodiscard]] std::string_view pattern() const { return {pattern_.data(), used_}; }
  [[nodiscard]] const std::vector<std::string_view>& variables() const { return variables_; }

 private:
  bool find_candidates(std::string_view text);
  // Of the word around a place.
  [[nodiscard]] std::size_t begin_of_word(std::size_t place) const;
  [[nodiscard]] std::size_t end_of_word(std::size_t place, std::size_t size) const;

  std::vector<std::uint64_t> words_;       // which characters are of words: a bit each
  std::vector<std::uint64_t> candidates_;  // digits and fourth letters of hexadecimal runs: every variable has one
  std::string pattern_;
  std::size_t used_ = 0;
  std::vector<std::string_view> variables_;
};

std::size_t variables_of(std::string_view pattern);

}  // namespace varve::message::block
