// SPDX-License-Identifier: Apache-2.0
// ContrailLayout: what the columns of a table of Contrail mean. docs/formats/contrail.md has the tables. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/column.h"

namespace varve::migrate {

// As Cassandra's system_schema.columns has it.
struct ColumnInfo {
  std::string name;
  std::string type;
  int key_position = -1;  // in the partition key; -1: it is not of it
};

enum class CellForm : std::uint8_t { text, integer, inet, uuid };

struct ContrailColumn {
  enum class Role : std::uint8_t {
    slot,    // T2: the time in µs without its 23 low bits
    offset,  // T1: these bits
    time,    // MessageTS: all of it
    id,
    object,  // a cell "type:value"
    column,  // of the message: `column`
    field,   // a free one, by the column's own name
  };
  std::string name;
  CellForm form{};
  Role role{};
  message::Column column{};
};

struct ContrailLayout {
  std::vector<ContrailColumn> columns;  // in the order in which they are asked for
  std::vector<std::string> left;        // names of columns whose type says nothing to varve

  [[nodiscard]] std::string names() const;  // as CQL: "key", "column1", …
};

// Of messagetablev2, with or without column19. Error: unsupported (what a message cannot be without is missing).
Result<ContrailLayout> layout_of_v2(std::span<const ColumnInfo> table);
// Of messagetable.
Result<ContrailLayout> layout_of_v1(std::span<const ColumnInfo> table);

// Of objecttable: which columns hold type, value and the message's id.
struct ObjectColumns {
  std::string type, value, id;
  bool id_is_text = false;
};
Result<ObjectColumns> object_columns(std::span<const ColumnInfo> table);

// "token("key", "key2")" of the partition key's columns; their names alone where `function` is empty.
std::string key_of(std::span<const ColumnInfo> table, std::string_view function);

}  // namespace varve::migrate
