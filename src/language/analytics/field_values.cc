// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/field_values.h"

#include <optional>

#include "message/column.h"
#include "message/condition.h"

namespace varve::language::analytics {
namespace {

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

bool is_in_dictionary(message::Column column) { return column <= message::Column::object; }

}  // namespace

Result<std::vector<std::string>> values_in_block(message::block::Block& block, const message::block::Bitmap& among,
                                                 message::Column column) {
  if (among.count() == block.messages() && !message::is_integer(column)) return block.terms(column);
  VARVE_ASSIGN_OR_RETURN(auto counts, block.counts(column, "", &among));
  std::vector<std::string> out;
  out.reserve(counts.size());
  for (auto& count : counts) out.push_back(std::move(count.term));
  return out;
}

Result<std::vector<std::string>> names_in_block(message::block::Block& block, const message::block::Bitmap& among,
                                                std::string_view prefix) {
  if (among.count() == block.messages()) return block.terms(message::Column::object, prefix);
  VARVE_ASSIGN_OR_RETURN(auto names, values_in_block(block, among, message::Column::object));
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(prefix); });
  return names;
}

void FieldValues::add_value(std::size_t column, std::string_view value) {
  auto& values = values_[column];
  if (values.contains(value) || !value_fulfils(query_, columns_[column].name, value)) return;
  values.emplace(value);
  bytes_ += sizeof(std::string) + 48 + value.size();
}

void FieldValues::add_of_column(std::size_t column, message::RowView row) {
  const TableColumn& asked = columns_[column];
  const bool is_object = asked.table->kind == TableKind::object;
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

Result<bool> FieldValues::add(message::block::Block& block, const message::block::Bitmap& among) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    VARVE_ASSIGN_OR_RETURN(const bool can, add_of_block(i, block, among));
    if (!can) return false;  // what was added is what its rows say, too
  }
  return true;
}

Result<bool> FieldValues::add_of_block(std::size_t column, message::block::Block& block,
                                       const message::block::Bitmap& among) {
  const TableColumn& asked = columns_[column];
  const std::string type = asked.table->name + ":";
  const message::ColumnName* const known = message::column_of(asked.column);
  if (known == nullptr) {
    VARVE_ASSIGN_OR_RETURN(const auto names, names_in_block(block, among, type));
    for (const std::string& name : names) {
      if (name.size() > type.size()) add_value(column, std::string_view(name).substr(type.size()));
    }
    return true;
  }
  if (!is_in_dictionary(known->column)) return false;
  message::block::Bitmap rows = among;
  if (asked.table->kind == TableKind::object) {
    VARVE_ASSIGN_OR_RETURN(const auto ids, block.terms(message::Column::object, type));
    if (ids.empty()) return true;
    VARVE_ASSIGN_OR_RETURN(auto term, message::make_term(message::Column::object, "", message::Op::prefix, type));
    VARVE_ASSIGN_OR_RETURN(rows, block.find(message::Condition::of(std::move(term)), among));
    if (rows.none()) return true;
  }
  VARVE_ASSIGN_OR_RETURN(const auto values, values_in_block(block, rows, known->column));
  for (const std::string& value : values) add_value(column, value);
  return true;
}

void FieldValues::add(message::RowView row) {
  for (std::size_t i = 0; i < columns_.size(); ++i) add_of_column(i, row);
}

std::vector<std::string> FieldValues::rows(std::size_t most) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const std::string& value : values_[i]) {
      if (out.size() == most) return out;
      append_value_json(out.emplace_back(), query_, columns_[i].name, value);
    }
  }
  return out;
}

}  // namespace varve::language::analytics
