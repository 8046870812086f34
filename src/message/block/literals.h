// SPDX-License-Identifier: Apache-2.0
// What a term asks of a text, in pieces that are quickly looked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "message/condition.h"

namespace varve::message::block {

// Strings that every match of the expression has. Fewer than there are, where the expression is complicated.
std::vector<std::string> literals_of(std::string_view expression);

struct Literals {
  // Pieces that the text has, as they are.
  std::vector<std::string> pieces;
  // Whole words of the text, as they are.
  std::vector<std::string> words;
  // Word characters within one word of the text.
  std::vector<std::string> parts;
};

// Of an operator on texts. `word` and `word_prefix`, which take no notice of case, have none.
Literals literals_of(const Term& term);

}  // namespace varve::message::block
