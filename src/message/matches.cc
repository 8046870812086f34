// SPDX-License-Identifier: Apache-2.0
#include "message/matches.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"
#include "message/id.h"
#include "message/words.h"

namespace varve::message {
namespace {

// The row's time is no cell.
bool time_fulfils(const Term& term, RowView row) { return cell_fulfils(term, row.time_us()) != negates(term.op); }

// Nor is an id that was made.
bool id_fulfils(const Term& term, RowView row) {
  const Id id = id_of(row);
  return cell_fulfils(term, std::string_view(id.data(), id.size())) != negates(term.op);
}

bool fulfils(const Term& term, const Cell& cell) {
  if (cell.column == Column::field) return field_fulfils(term, cell.form, cell.text);
  return is_integer(cell.column) ? cell_fulfils(term, cell.number) : cell_fulfils(term, cell.text);
}

// −1, 0, 1: the number that a field's text is, against `bound`; nothing if it is none that can be compared.
std::optional<int> compared(std::string_view text, std::int64_t bound) {
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end) {
    return whole < bound ? -1 : whole > bound ? 1 : 0;
  }
  double number = 0;
  if (const auto read = std::from_chars(text.data(), end, number); read.ec != std::errc() || read.ptr != end) {
    return std::nullopt;
  }
  const auto other = static_cast<double>(bound);
  return number < other ? -1 : number > other ? 1 : 0;
}

}  // namespace

bool cell_fulfils(const Term& term, std::string_view text) {
  switch (term.op) {
    case Op::equal:
    case Op::not_equal: return text == term.text;
    case Op::prefix: return text.starts_with(term.text);
    case Op::regex: return term.regex->matches(text);
    case Op::contains: return term.column == Column::object ? text == term.text : text.contains(term.text);
    case Op::word: return has_word(text, term.text);
    case Op::word_prefix: return has_word_prefix(text, term.text);
    case Op::in_range:
    case Op::not_in_range: return false;
  }
  return false;
}

bool cell_fulfils(const Term& term, std::int64_t number) { return number >= term.low && number <= term.high; }

bool field_fulfils(const Term& term, FieldForm form, std::string_view text) {
  const bool ranges = term.op == Op::in_range || term.op == Op::not_in_range;
  const bool equals = term.op == Op::equal || term.op == Op::not_equal;
  if (form != FieldForm::number || !term.is_number || !(ranges || equals)) return cell_fulfils(term, text);
  const auto low = compared(text, term.low), high = compared(text, term.high);
  return low && high && *low >= 0 && *high <= 0;
}

bool matches(const Term& term, RowView row) {
  if (term.column == Column::time) return time_fulfils(term, row);
  if (term.column == Column::id) return id_fulfils(term, row);
  CellReader cells = row.reader();
  bool found = false;
  for (Cell cell; !found && cells.next(cell) && cell.column <= term.column;) {
    if (cell.column != term.column) continue;
    if (cell.column == Column::field && cell.name != term.field) continue;
    found = fulfils(term, cell);
  }
  return found != negates(term.op);
}

bool matches(const Condition& condition, RowView row) {
  const auto part = [row](const Condition& one) { return matches(one, row); };
  switch (condition.kind) {
    case Condition::Kind::all: return std::ranges::all_of(condition.parts, part);
    case Condition::Kind::any: return std::ranges::any_of(condition.parts, part);
    case Condition::Kind::none: return std::ranges::none_of(condition.parts, part);
    case Condition::Kind::term: return matches(condition.term, row);
  }
  return false;
}

}  // namespace varve::message
