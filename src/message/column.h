// SPDX-License-Identifier: Apache-2.0
// Columns of a message, with their names. Whatever else a message says is a free field, by its own name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace varve::message {

// Stored in the log and in blocks: DO NOT CHANGE THE NUMBERS.
enum class Column : std::uint8_t {
  source = 0,
  module = 1,
  type = 2,
  node_type = 3,
  instance = 4,
  category = 5,
  ip = 6,
  level = 7,
  kind = 8,
  pid = 9,
  sequence = 10,
  object = 11,  // any number of cells, each "type:value"
  text = 12,
  id = 13,     // 16 bytes, as a rule only where the sender gave one; else see id.h
  field = 14,  // any number of cells, each with its own name
  time = 15,   // of the row's head, not a cell
};
inline constexpr std::size_t kColumns = 16;

// How its cells are compared.
enum class ColumnType : std::uint8_t { text, integer, names, id };

struct ColumnName {
  Column column;
  ColumnType type;
  std::string_view key;       // in NDJSON
  std::string_view contrail;  // in Contrail's tables; "" if they have no such column
};
inline constexpr std::array<ColumnName, 15> kColumnNames{{
    {Column::time, ColumnType::integer, "time", "MessageTS"},
    {Column::source, ColumnType::text, "source", "Source"},
    {Column::module, ColumnType::text, "module", "ModuleId"},
    {Column::type, ColumnType::text, "type", "Messagetype"},
    {Column::node_type, ColumnType::text, "node_type", "NodeType"},
    {Column::instance, ColumnType::text, "instance", "InstanceId"},
    {Column::category, ColumnType::text, "category", "Category"},
    {Column::ip, ColumnType::text, "ip", "IPAddress"},
    {Column::level, ColumnType::integer, "level", "Level"},
    {Column::kind, ColumnType::integer, "kind", "Type"},
    {Column::pid, ColumnType::integer, "pid", "Pid"},
    {Column::sequence, ColumnType::integer, "sequence", "SequenceNum"},
    {Column::object, ColumnType::names, "objects", "ObjectName"},
    {Column::text, ColumnType::text, "text", "Xmlmessage"},
    {Column::id, ColumnType::id, "id", ""},
}};

// Of either name. nullptr: it is a free field's.
const ColumnName* column_of(std::string_view name);
// Not of Column::field.
const ColumnName& name_of(Column column);

constexpr bool is_integer(Column column) {
  return column == Column::level || column == Column::kind || column == Column::pid || column == Column::sequence ||
         column == Column::time;
}

}  // namespace varve::message
