// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/field_names.h"

#include <algorithm>

#include "message/matches.h"
#include "protocol/json/writer.h"

namespace varve::language::analytics {
namespace {

bool term_fulfilled(const message::Term& term, std::string_view text) {
  return message::cell_fulfils(term, text) != message::negates(term.op);
}

// `fulfils` of each term: is there a group all of whose terms it holds for?
template <class Fulfils>
bool any_group(const Groups& groups, const Fulfils& fulfils) {
  const auto all = [&](const std::vector<Ask>& group) { return std::ranges::all_of(group, fulfils); };
  return groups.empty() || std::ranges::any_of(groups, all);
}

}  // namespace

std::vector<TableColumn> columns_asked(const AnalyticsQuery& query, const Tables& tables) {
  std::vector<TableColumn> out;
  for (const auto& [name, table] : tables.all()) {
    if (table.kind == TableKind::stat) continue;
    for (const SchemaColumn& column : schema_of(table.kind)) {
      if (!column.index) continue;
      TableColumn one{&table, column.name, name + ":" + std::string(column.name)};
      // Whether a value is let through is not known yet.
      const auto may = [&](const Ask& ask) {
        return ask.of != Ask::Of::table_column || term_fulfilled(ask.term, one.name);
      };
      if (any_group(query.where, may) && any_group(query.filter, may)) out.push_back(std::move(one));
    }
  }
  std::ranges::sort(out, {}, &TableColumn::name);
  return out;
}

bool value_fulfils(const AnalyticsQuery& query, std::string_view table_column, std::string_view value) {
  const auto fulfils = [&](const Ask& ask) {
    return term_fulfilled(ask.term, ask.of == Ask::Of::table_column ? table_column : value);
  };
  return any_group(query.where, fulfils) && any_group(query.filter, fulfils);
}

void append_value_json(std::string& out, const AnalyticsQuery& query, std::string_view table_column,
                       std::string_view value) {
  protocol::json::Writer json(out);
  json.begin_object();
  for (const Selected& selected : query.select) {
    json.member(selected.name, selected.of == Selected::Of::table_column ? table_column : value);
  }
  json.end_object();
}

}  // namespace varve::language::analytics
