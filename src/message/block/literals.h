// SPDX-License-Identifier: Apache-2.0
// What a term asks of a text, in pieces that are quickly looked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "message/condition.h"

namespace varve::message::block {

// Strings that every match of the expression has. Fewer than there are, where the expression is complicated.
std::vector<std::string> literals_of(std::string_view expression);

// What a piece says of a variable: it begins with these characters, ends with them, is them (both), or has them.
struct VariablePart {
  std::string text;
  bool begins = false, ends = false;
};

// A piece of a text as templates see it: variables are bytes 0.
struct PieceForm {
  std::string pattern;
  std::vector<VariablePart> variables = {};  // of each byte 0
  std::uint32_t letters = 0;                 // of the variables (letters_of)
};

struct Literals {
  // Of pieces that the text has, the longest ones first: forms, of which one must be in the template.
  std::vector<std::vector<PieceForm>> pieces;
  // The same, as they are.
  std::vector<std::string> texts;
  // Whole words of the text, as they are.
  std::vector<std::string> words;
};

// Is the piece in the text? Long pieces take less time than short ones.
bool has_piece(std::string_view text, std::string_view piece);

// Of an operator on texts. `word` and `word_prefix`, which take no notice of case, have none.
Literals literals_of(const Term& term);

}  // namespace varve::message::block
