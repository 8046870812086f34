// SPDX-License-Identifier: Apache-2.0
// Tables that Contrail's queries name. All are views of the same messages: all of them, those that name an object of
// one type, or the values that columns have.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace varve::language::analytics {

inline constexpr std::string_view kMessageTable = "MessageTable";
inline constexpr std::string_view kFieldNames = "StatTable.FieldNames.fields";

enum class TableKind : std::uint8_t { log, object, stat };
std::string_view kind_name(TableKind kind);  // LOG OBJECT STAT

struct Table {
  TableKind kind = TableKind::log;
  std::string name;          // of an object table also the type of its names
  std::string display_name;  // "": it has none
};

// The ones that are there from the start, and one for each type of object name that was seen. By name.
class Tables {
 public:
  explicit Tables(std::span<const std::string> types_seen = {});

  [[nodiscard]] const Table* find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, Table, std::less<>>& all() const { return tables_; }

 private:
  std::map<std::string, Table, std::less<>> tables_;
};

// The object table that contrail-logs calls `short_name` ("virtual-network"); "": none.
std::string_view table_of_short_name(std::string_view short_name);
// In the order of the tables.
std::vector<std::string_view> short_names();

struct SchemaColumn {
  std::string_view name;
  std::string_view datatype;  // int string ipaddr
  bool index = false;         // has postings: =, and of texts a prefix, is cheap
};
// All that a query may name besides free fields: Contrail's columns first.
std::span<const SchemaColumn> schema_of(TableKind kind);

}  // namespace varve::language::analytics
