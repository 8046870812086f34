// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/tables.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "message/column.h"

namespace varve::language::analytics {
namespace {

TEST(AnalyticsTables, KnownFromTheStart) {
  const Tables tables;
  EXPECT_EQ(tables.all().size(), 40U);
  const struct {
    std::string_view name;
    TableKind kind;
    std::string_view display_name;
  } cases[] = {
      {"MessageTable", TableKind::log, ""},
      {"StatTable.FieldNames.fields", TableKind::stat, ""},
      {"ObjectVNTable", TableKind::object, "Virtual Network"},
      {"ObjectBgpRouter", TableKind::object, "Control Node"},
      {"ObjectCollectorInfo", TableKind::object, "Analytics Node"},
      {"ObjectGeneratorInfo", TableKind::object, "Generator"},
      {"ServiceChain", TableKind::object, "Service Chain"},
      {"ConfigObjectTable", TableKind::object, "Config Object Table"},
      {"ConfigObjectTableByUser", TableKind::object, "Config Object by User Table"},
  };
  for (const auto& [name, kind, display_name] : cases) {
    const Table* const table = tables.find(name);
    ASSERT_NE(table, nullptr) << name;
    EXPECT_EQ(table->kind, kind) << name;
    EXPECT_EQ(table->name, name);
    EXPECT_EQ(table->display_name, display_name) << name;
  }
  for (const auto* unknown : {"", "FlowRecordTable", "messagetable", "VNTable", "ObjectVNTable:", "StatTable.X.y"}) {
    EXPECT_EQ(tables.find(unknown), nullptr) << unknown;
  }
}

TEST(AnalyticsTables, OneForEachTypeSeen) {
  const std::string seen[] = {"Rack", "ObjectVNTable", "MessageTable"};
  const Tables tables(seen);
  EXPECT_EQ(tables.all().size(), 41U);
  EXPECT_EQ(tables.find("Rack")->kind, TableKind::object);
  EXPECT_EQ(tables.find("Rack")->display_name, "Rack");
  EXPECT_EQ(tables.find("ObjectVNTable")->display_name, "Virtual Network");
  EXPECT_EQ(tables.find("MessageTable")->kind, TableKind::log);  // and not a view of the objects called so
}

TEST(AnalyticsTables, ShortNames) {
  const Tables tables;
  EXPECT_EQ(table_of_short_name("virtual-network"), "ObjectVNTable");
  EXPECT_EQ(table_of_short_name("control-node"), "ObjectBgpRouter");
  EXPECT_EQ(table_of_short_name("config"), "ConfigObjectTable");
  EXPECT_EQ(table_of_short_name("config-user"), "ConfigObjectTableByUser");
  EXPECT_EQ(table_of_short_name("vn"), "");
  EXPECT_EQ(table_of_short_name(""), "");
  const auto names = short_names();
  EXPECT_EQ(names.size(), 38U);
  for (const auto name : names) EXPECT_NE(tables.find(table_of_short_name(name)), nullptr) << name;
}

TEST(AnalyticsTables, KindsHaveNames) {
  EXPECT_EQ(kind_name(TableKind::log), "LOG");
  EXPECT_EQ(kind_name(TableKind::object), "OBJECT");
  EXPECT_EQ(kind_name(TableKind::stat), "STAT");
}

// Every column of a message is there, by the name that Contrail gives it, with its type.
TEST(AnalyticsTables, SchemasHaveAllColumns) {
  for (const TableKind kind : {TableKind::log, TableKind::object}) {
    const auto schema = schema_of(kind);
    for (const auto& column : message::kColumnNames) {
      const auto name = column.contrail.empty() ? column.key : column.contrail;
      const auto found = std::ranges::find(schema, name, &SchemaColumn::name);
      ASSERT_NE(found, schema.end()) << name;
      EXPECT_EQ(found->datatype == "int", message::is_integer(column.column)) << name;
    }
  }
  std::string indexed;
  for (const auto& column : schema_of(TableKind::object)) indexed += column.index ? std::string(column.name) + " " : "";
  EXPECT_EQ(indexed, "ObjectId Source ModuleId Messagetype Category Level Type IPAddress ObjectName ");
  EXPECT_EQ(schema_of(TableKind::stat).size(), 2U);
}

}  // namespace
}  // namespace varve::language::analytics
