// SPDX-License-Identifier: Apache-2.0
// Subject: what a name of a query stands for in a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "language/analytics/query.h"
#include "message/column.h"

namespace varve::language::analytics {

struct Subject {
  enum class Of : std::uint8_t {
    column,
    field,
    keyword,
    object_id,
    object_log,
    system_log,
    table_column,
    value,
  };
  Of of = Of::column;
  message::Column column = message::Column::field;
};

// In object tables ObjectId, ObjectLog and SystemLog come first; then columns, by either name, and Keyword; then free
// fields. FieldNames has its own columns only. Error: unsupported, for all other names.
Result<Subject> subject_of(std::string_view name, const Table& table, const Context& context);

// 'name', cut if it is long.
std::string quoted(std::string_view name);

}  // namespace varve::language::analytics
