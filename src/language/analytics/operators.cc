// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/operators.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "language/analytics/subject.h"
#include "language/analytics/terms.h"
#include "message/id.h"
#include "message/level.h"
#include "message/matches.h"

namespace varve::language::analytics {
namespace {

using message::Column;
using message::ColumnType;
using message::Condition;
using message::Op;
using message::Term;
using protocol::json::Kind;

// The number of an operator is its place.
constexpr std::array<std::string_view, 10> kOperators{
    "", "=", "not equal", "range", "not in range", "<=", ">=", "prefix", "regular expression", "contains"};

// A term as it is written.
struct Written {
  std::string_view name;
  std::size_t op = 0;  // 1 … 9
  std::string_view value, value2;
  query::Expressions* expressions = nullptr;

  [[nodiscard]] bool is_between() const { return op == 3 || op == 4; }
  [[nodiscard]] bool is_range() const { return op >= 3 && op <= 6; }
};

Op meaning_of(std::size_t op) {
  constexpr std::array<Op, 10> kMeanings{Op::equal,    Op::equal,    Op::not_equal, Op::in_range, Op::not_in_range,
                                         Op::in_range, Op::in_range, Op::prefix,    Op::regex,    Op::contains};
  return kMeanings[op];
}

std::unexpected<Error> no_operator(const Written& written) {
  return fail(Code::unsupported, std::string(written.name.substr(0, 100)) + " has no operator " +
                                     std::to_string(written.op) + " (" + std::string(kOperators[written.op]) + ")");
}

// What a value is wrong about is wrong about its meaning: the body is well-formed.
Result<Term> meaningful(Result<Term> term) {
  if (!term) return fail(Code::unsupported, std::move(term.error().message));
  return term;
}

Result<std::int64_t> number_for(Column column, std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, number); read.ec == std::errc() && read.ptr == end) {
    return number;
  }
  if (column == Column::level) {
    if (const auto level = message::level_of(text)) return *level;
    return fail(Code::unsupported, quoted(text) + " is neither a whole number nor the name of a level");
  }
  if (column == Column::kind) {
    if (const auto kind = message::kind_of(text)) return *kind;
    return fail(Code::unsupported, quoted(text) + " is neither a whole number nor the name of a type of messages");
  }
  return fail(Code::unsupported, quoted(text) + " is not a whole number");
}

Result<Term> range_of(Column column, std::string_view field, const Written& written) {
  VARVE_ASSIGN_OR_RETURN(const std::int64_t value, number_for(column, written.value));
  std::optional<std::int64_t> low, high;
  if (written.op != 5) low = value;
  if (written.op == 5) high = value;
  if (written.is_between()) {
    VARVE_ASSIGN_OR_RETURN(high, number_for(column, written.value2));
  }
  return meaningful(message::make_range(column, field, meaning_of(written.op), low, high));
}

// A wrong expression has no meaning; one that is too large has.
Result<Term> regex_term(Column column, std::string_view field, const Written& written) {
  VARVE_RETURN_IF_ERROR(written.expressions->count(written.value));
  if (const Status right = Regex::check(written.value); !right) {
    return fail(Code::unsupported, std::string(right.error().message));
  }
  VARVE_ASSIGN_OR_RETURN(Regex regex, written.expressions->compile(written.value));
  return message::make_term(column, field, std::move(regex), written.value);
}

// Of a column, or of a free field, which may be a text or a number and so has all operators.
Result<Term> term_of(Column column, const Written& written) {
  const bool is_field = column == Column::field;
  const std::string_view field = is_field ? written.name : "";
  if (!is_field && !message::fits(meaning_of(written.op), message::name_of(column).type)) return no_operator(written);
  if (written.is_range()) return range_of(column, field, written);
  if (message::is_integer(column)) {
    VARVE_ASSIGN_OR_RETURN(const std::int64_t number, number_for(column, written.value));
    return message::make_term(column, field, meaning_of(written.op), std::to_string(number));
  }
  if (column == Column::id) {
    const auto id = read_uuid(written.value);
    if (!id) return fail(Code::unsupported, quoted(written.value) + " is not a UUID");
    return message::make_term(column, field, meaning_of(written.op), {id->data(), id->size()});
  }
  if (meaning_of(written.op) == Op::regex) return regex_term(column, field, written);
  return meaningful(message::make_term(column, field, meaning_of(written.op), written.value));
}

// Of a text that is no cell of a message.
Result<Term> text_term(const Written& written) { return term_of(Column::source, written); }

Result<Ask> keyword_ask(const Written& written) {
  if (written.op != 1 && written.op != 7) return no_operator(written);
  const Op op = written.op == 1 ? Op::word : Op::word_prefix;
  VARVE_ASSIGN_OR_RETURN(Term term, meaningful(message::make_term(Column::text, "", op, written.value)));
  return Ask{Ask::Of::message, Condition::of(std::move(term)), {}};
}

// The text of a message, if it is of a kind that fills this log; else the cell is absent.
Result<Ask> log_ask(const Written& written, bool is_object_log) {
  VARVE_ASSIGN_OR_RETURN(Term term, term_of(Column::text, written));
  const bool negated = message::negates(term.op);
  std::vector<Condition> parts;
  parts.push_back(fills_object_log(is_object_log != negated));
  parts.push_back(Condition::of(std::move(term)));
  return Ask{Ask::Of::message, {negated ? Condition::Kind::any : Condition::Kind::all, std::move(parts), {}}, {}};
}

Result<Ask> id_ask(const Written& written, const Table& table) {
  Ask ask{Ask::Of::object_id, {}, {}};
  VARVE_ASSIGN_OR_RETURN(ask.term, text_term(written));
  if (ask.term.op == Op::equal || ask.term.op == Op::prefix) {
    const std::string name = table.name + ":" + std::string(written.value);
    ask.condition = Condition::of(*message::make_term(Column::object, "", ask.term.op, name));
  }
  return ask;
}

Result<Ask> stat_ask(const Written& written, Ask::Of of) {
  if (of == Ask::Of::table_column && written.op != 1 && written.op != 7) return no_operator(written);
  Ask ask{of, {}, {}};
  VARVE_ASSIGN_OR_RETURN(ask.term, text_term(written));
  return ask;
}

Result<Ask> ask_of(const Subject& subject, const Written& written, const Table& table) {
  switch (subject.of) {
    case Subject::Of::column:
    case Subject::Of::field: {
      VARVE_ASSIGN_OR_RETURN(Term term, term_of(subject.column, written));
      return Ask{Ask::Of::message, Condition::of(std::move(term)), {}};
    }
    case Subject::Of::keyword: return keyword_ask(written);
    case Subject::Of::object_id: return id_ask(written, table);
    case Subject::Of::object_log: return log_ask(written, true);
    case Subject::Of::system_log: return log_ask(written, false);
    case Subject::Of::table_column: return stat_ask(written, Ask::Of::table_column);
    case Subject::Of::value: return stat_ask(written, Ask::Of::value);
  }
  return fail(Code::unsupported, quoted(written.name) + " cannot be asked for");
}

Result<std::string_view> value_of(const Node& node, std::string_view name, const Subject& subject) {
  const bool may_be_boolean = subject.of == Subject::Of::field;
  if (node.kind == Kind::string || node.kind == Kind::number || (may_be_boolean && node.kind == Kind::boolean)) {
    return node.text;
  }
  return fail(Code::invalid, std::string(name) + " is neither a text nor a number");
}

Result<std::size_t> operator_of(const Node& node) {
  VARVE_ASSIGN_OR_RETURN(const std::int64_t op, whole_number_of(node, "op"));
  if (op < 1 || op > 9) {
    return fail(Code::unsupported, "there is no operator " + std::to_string(op) + ": they are 1 to 9");
  }
  return static_cast<std::size_t>(op);
}

}  // namespace

Result<Ask> parse_ask(const Node& node, const Table& table, const Context& context) {
  constexpr std::array<std::string_view, 4> kMembers{"name", "value", "op", "value2"};
  constexpr std::array<std::string_view, 1> kUnused{"suffix"};
  if (node.kind != Kind::object) return fail(Code::invalid, "a term is an object with name, value and op");
  VARVE_RETURN_IF_ERROR(check_members(node, kMembers, kUnused, ""));
  Written written;
  written.expressions = context.expressions.get();
  VARVE_ASSIGN_OR_RETURN(const Node* name, required(node, "name", ""));
  VARVE_ASSIGN_OR_RETURN(written.name, text_of(*name, "name"));
  VARVE_ASSIGN_OR_RETURN(const Node* op, required(node, "op", ""));
  VARVE_ASSIGN_OR_RETURN(written.op, operator_of(*op));
  VARVE_ASSIGN_OR_RETURN(const Node* value, required(node, "value", ""));
  VARVE_ASSIGN_OR_RETURN(const Subject subject, subject_of(written.name, table, context));
  VARVE_ASSIGN_OR_RETURN(written.value, value_of(*value, "value", subject));
  if (written.is_between()) {
    VARVE_ASSIGN_OR_RETURN(const Node* value2, required(node, "value2", ""));
    VARVE_ASSIGN_OR_RETURN(written.value2, value_of(*value2, "value2", subject));
  } else if (node.find("value2") != nullptr) {
    return fail(Code::invalid, "value2 belongs to operators 3 and 4 only");
  }
  return ask_of(subject, written, table);
}

}  // namespace varve::language::analytics
