// SPDX-License-Identifier: Apache-2.0
// Queries of StatTable.FieldNames.fields: which columns of which tables they ask for, and which of their values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/analytics/query.h"

namespace varve::language::analytics {

struct TableColumn {
  const Table* table = nullptr;
  std::string_view column;  // of its schema
  std::string name;         // "MessageTable:Source"
};

// Those that where and filter may let through, by name. Columns are the ones with an index: their values stand in
// dictionaries. The tables have to outlive them.
std::vector<TableColumn> columns_asked(const AnalyticsQuery& query, const Tables& tables);

// Do where and filter let this value of the column through?
bool value_fulfils(const AnalyticsQuery& query, std::string_view table_column, std::string_view value);

// {"name":"MessageTable:Source","fields.value":"h1"}: what is selected.
void append_value_json(std::string& out, const AnalyticsQuery& query, std::string_view table_column,
                       std::string_view value);

}  // namespace varve::language::analytics
