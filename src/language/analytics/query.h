// SPDX-License-Identifier: Apache-2.0
// AnalyticsQuery: what a body of POST /analytics/query asks for. Rows of the log table are messages; a row of an object
// table is a message and one id that it names; a row of the FieldNames table is a column and one of its values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/analytics/tables.h"
#include "message/condition.h"
#include "query/expression.h"

namespace varve::language::analytics {

// A term of `where` or `filter`.
struct Ask {
  enum class Of : std::uint8_t {
    message,
    object_id,     // the row's, without its type
    table_column,  // `name` of FieldNames: "MessageTable:Source"
    value,         // `fields.value` of FieldNames
  };
  Of of = Of::message;
  // Of a message: the term. Of an object id: what a message with such an id fulfils; others may, too.
  message::Condition condition;
  message::Term term;  // of texts; not of a message
};
// ORs of ANDs; none: no condition.
using Groups = std::vector<std::vector<Ask>>;

struct Selected {
  enum class Of : std::uint8_t {
    column,
    field,
    fields,  // all that the message has, each by its own name, behind what else is selected
    object_id,
    object_log,
    system_log,
    window,
    count,
    table_column,
    value,
  };
  Of of = Of::column;
  message::Column column{};
  std::string name;            // in the answer; of a field also its own
  std::int64_t window_us = 0;  // of a window
};

struct AnalyticsQuery {
  Table table;
  std::int64_t first_us = 0, last_us = 0;  // both belong to it
  // What a message has to fulfil: where, filter, and the table's own. Of the log table it is all; of an object table
  // rows may have to fulfil more (`asks_of_id`, rows.h).
  message::Condition condition;
  Groups where, filter;
  bool asks_of_id = false;
  std::vector<Selected> select;   // names once each
  std::vector<std::size_t> sort;  // indexes of select
  bool sort_down = false;
  std::optional<std::uint64_t> limit;
  bool counts = false;  // rows are grouped by what is selected but `count`, which is always there
  bool follow = false;  // then last_us is the end of time

  // Only the distinct ids of an object table are asked for.
  [[nodiscard]] bool lists_ids() const {
    return table.kind == TableKind::object && !counts && select.size() == 1 && select[0].of == Selected::Of::object_id;
  }
};

// What a query is read against.
struct Context {
  std::int64_t now_us = 0;
  const Tables& tables;
  // Has a message of this tenant ever had a free field of that name?
  std::function<bool(std::string_view)> known_field;
  // Of one question, which has this context for itself.
  std::shared_ptr<query::Expressions> expressions = std::make_shared<query::Expressions>();
};

inline constexpr std::size_t kTermsMax = 10'000;  // in where and filter together
inline constexpr std::size_t kSelectedMax = 1'000;

// Errors, which say where and what:
//   invalid      the body is malformed: no JSON, a member missing, unknown or of another form, a time, a limit
//   unsupported  what is asked has no meaning: a name, an operator, a value, a combination
//   not_found    there is no such table
Result<AnalyticsQuery> parse_query(std::string_view body, const Context& context);

// What a body of POST /api/v1/messages/delete asks for: table, start_time and end_time, and where, as of a query. A
// message of an object table goes if a row of it would be found; `condition` says which these are.
// Errors: as of parse_query.
Result<AnalyticsQuery> parse_delete(std::string_view body, const Context& context);

}  // namespace varve::language::analytics
