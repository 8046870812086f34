// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/field_values.h"

#include <optional>

#include "message/column.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;

// What stands behind "type:" in a name of that type.
std::optional<std::string_view> id_of(std::string_view name, std::string_view type) {
  if (name.size() <= type.size() + 1 || !name.starts_with(type) || name[type.size()] != ':') return std::nullopt;
  return name.substr(type.size() + 1);
}

bool names_type(message::RowView row, std::string_view type) {
  message::CellReader cells = row.reader();
  for (message::Cell cell; cells.next(cell) && cell.column <= message::Column::object;) {
    if (cell.column == message::Column::object && id_of(cell.text, type)) return true;
  }
  return false;
}

}  // namespace

void FieldValues::add_value(std::size_t column, std::string_view value) {
  auto& values = values_[column];
  if (values.contains(value) || !analytics::value_fulfils(query_, columns_[column].name, value)) return;
  values.emplace(value);
  bytes_ += sizeof(std::string) + 48 + value.size();
}

void FieldValues::add_of_column(std::size_t column, message::RowView row) {
  const analytics::TableColumn& asked = columns_[column];
  const bool is_object = asked.table->kind == analytics::TableKind::object;
  const message::ColumnName* const known = message::column_of(asked.column);
  if (is_object && known != nullptr && !names_type(row, asked.table->name)) return;
  message::CellReader cells = row.reader();
  for (message::Cell cell; cells.next(cell);) {
    if (known == nullptr) {  // ObjectId
      if (cell.column != message::Column::object) continue;
      if (const auto id = id_of(cell.text, asked.table->name)) add_value(column, *id);
    } else if (cell.column == known->column) {
      add_value(column, message::is_integer(cell.column) ? std::to_string(cell.number) : std::string(cell.text));
    }
  }
}

void FieldValues::add(message::RowView row) {
  for (std::size_t i = 0; i < columns_.size(); ++i) add_of_column(i, row);
}

std::vector<std::string> FieldValues::rows(std::size_t most) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const std::string& value : values_[i]) {
      if (out.size() == most) return out;
      analytics::append_value_json(out.emplace_back(), query_, columns_[i].name, value);
    }
  }
  return out;
}

}  // namespace varve::api
