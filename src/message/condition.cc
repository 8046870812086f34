// SPDX-License-Identifier: Apache-2.0
#include "message/condition.h"

#include <charconv>
#include <limits>
#include <utility>

#include "base/check.h"
#include "message/words.h"

namespace varve::message {
namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

bool fits(Op op, ColumnType type) {
  switch (op) {
    case Op::equal:
    case Op::not_equal: return true;
    case Op::in_range:
    case Op::not_in_range: return type == ColumnType::integer;
    case Op::prefix:
    case Op::regex: return type == ColumnType::text || type == ColumnType::names;
    case Op::contains: return type == ColumnType::text || type == ColumnType::names;
    case Op::word:
    case Op::word_prefix: return type == ColumnType::text;
  }
  return false;
}

Result<Term> make_term(Column column, std::string_view field, Op op, std::string_view value) {
  check((column == Column::field) == !field.empty(), "a free field has a name, and only that");
  Term term;
  term.column = column;
  term.field = field;
  term.op = op;
  term.text = value;
  const auto number = number_of(value);
  if (is_integer(column)) {
    if (!number) return fail(Code::invalid, "'" + std::string(value.substr(0, 100)) + "' is not a whole number");
    term.low = term.high = *number;
  } else if (column == Column::field && number) {
    term.low = term.high = *number;
    term.is_number = true;
  }
  if (op == Op::regex) {
    VARVE_ASSIGN_OR_RETURN(term.regex, Regex::compile(value));
  }
  if (op == Op::word || op == Op::word_prefix) {
    if (!is_one_word(value)) {
      return fail(Code::invalid, "'" + std::string(value.substr(0, 100)) + "' is not one word");
    }
    term.text = lower(value);
  }
  return term;
}

Term make_term(Column column, std::string_view field, Regex regex, std::string_view expression) {
  check((column == Column::field) == !field.empty(), "a free field has a name, and only that");
  check(fits(Op::regex, column == Column::field ? ColumnType::text : name_of(column).type), "a column of texts");
  Term term;
  term.column = column;
  term.field = field;
  term.op = Op::regex;
  term.text = expression;
  term.regex = std::move(regex);
  return term;
}

Result<Term> make_range(Column column, std::string_view field, Op op, std::optional<std::int64_t> low,
                        std::optional<std::int64_t> high) {
  check(op == Op::in_range || op == Op::not_in_range, "a range");
  if (low && high && *low > *high) {
    return fail(Code::invalid, "a range from " + std::to_string(*low) + " to " + std::to_string(*high) + " is empty");
  }
  Term term;
  term.column = column;
  term.field = field;
  term.op = op;
  term.low = low.value_or(std::numeric_limits<std::int64_t>::min());
  term.high = high.value_or(std::numeric_limits<std::int64_t>::max());
  term.is_number = true;
  return term;
}

}  // namespace varve::message
