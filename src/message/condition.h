// SPDX-License-Identifier: Apache-2.0
// Condition: what a query asks of a message, as a tree of terms. The same for rows in memory and for blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/regex.h"
#include "base/result.h"
#include "message/column.h"

namespace varve::message {

enum class Op : std::uint8_t {
  equal,
  not_equal,
  in_range,  // from low to high, both inclusive; at_most and at_least are ranges with one end
  not_in_range,
  prefix,
  regex,        // RE2, over the whole cell
  contains,     // a piece of a text; of names: one of them is it
  word,         // one of the text's words (words.h) is it; upper and lower case of ASCII are the same
  word_prefix,  // one of the text's words begins with it
};

// One question about one column. A message without the cell fulfils only not_equal and not_in_range. Of several cells
// (object names) one has to fulfil it; not_equal and not_in_range: none may fulfil the opposite.
struct Term {
  Column column{};
  std::string field;  // name of the free field, if it is one
  Op op{};
  std::string text;  // what texts are compared with; of word and word_prefix in lower case
  // What numbers are compared with, both inclusive; equal: low == high. Of a free field: the number that `text` is, if
  // it is one: fields that are numbers compare as numbers, others as texts.
  std::int64_t low = 0, high = 0;
  bool is_number = false;  // of a free field: low and high are set
  std::optional<Regex> regex;
};

// The tree. `all` without parts is fulfilled by every message, `any` without parts by none.
struct Condition {
  enum class Kind : std::uint8_t { all, any, none, term };  // none: of the parts is fulfilled
  Kind kind = Kind::all;
  std::vector<Condition> parts;
  Term term;

  static Condition of(Term term) { return {Kind::term, {}, std::move(term)}; }
};

// Does the operator mean something for the column? (Terms that pass may be evaluated.)
bool fits(Op op, ColumnType type);

// Terms made whole: texts, numbers and expressions. Errors: invalid (no number, a bad expression).
Result<Term> make_term(Column column, std::string_view field, Op op, std::string_view value);
// Of an expression that was compiled before.
Term make_term(Column column, std::string_view field, Regex regex, std::string_view expression);
Result<Term> make_range(Column column, std::string_view field, Op op, std::optional<std::int64_t> low,
                        std::optional<std::int64_t> high);

}  // namespace varve::message
