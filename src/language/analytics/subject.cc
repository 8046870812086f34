// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/subject.h"

namespace varve::language::analytics {
namespace {

std::optional<Subject> object_subject(std::string_view name) {
  if (name == "ObjectId") return Subject{Subject::Of::object_id};
  if (name == "ObjectLog") return Subject{Subject::Of::object_log};
  if (name == "SystemLog") return Subject{Subject::Of::system_log};
  return std::nullopt;
}

std::optional<Subject> stat_subject(std::string_view name) {
  if (name == "name") return Subject{Subject::Of::table_column};
  if (name == "fields.value") return Subject{Subject::Of::value};
  return std::nullopt;
}

}  // namespace

Result<Subject> subject_of(std::string_view name, const Table& table, const Context& context) {
  if (table.kind == TableKind::stat) {
    if (const auto own = stat_subject(name)) return *own;
    return fail(Code::unsupported, quoted(name) + " is not a column of " + table.name + ": name, fields.value");
  }
  if (table.kind == TableKind::object) {
    if (const auto own = object_subject(name)) return *own;
  }
  if (name == "Keyword") return Subject{Subject::Of::keyword};
  const message::ColumnName* const column = message::column_of(name);
  if (column != nullptr) return Subject{Subject::Of::column, column->column};
  if (!name.empty() && context.known_field(name)) return Subject{Subject::Of::field};
  return fail(Code::unsupported, quoted(name) + " is neither a column of " + table.name + " nor a field of a message");
}

std::string quoted(std::string_view name) {
  constexpr std::size_t kShown = 100;
  return "'" + std::string(name.substr(0, kShown)) + (name.size() > kShown ? "…'" : "'");
}

}  // namespace varve::language::analytics
