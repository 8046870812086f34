// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/field_names.h"

#include <gtest/gtest.h>

namespace varve::language::analytics {
namespace {

AnalyticsQuery names_query(std::string_view where, const Tables& tables) {
  auto query = parse_query(R"({"table":"StatTable.FieldNames.fields","start_time":0,"end_time":9,)"
                           R"("select_fields":["fields.value","name"])" +
                               std::string(where.empty() ? "" : R"(,"where":[[{)") + std::string(where) +
                               (where.empty() ? "}" : "}]]}"),
                           {0, tables, [](std::string_view) { return false; }});
  EXPECT_TRUE(query) << query.error().message;
  return *query;
}

std::string columns_of(std::string_view where) {
  const std::string seen[] = {"Rack"};
  const Tables tables(seen);
  std::string out;
  for (const auto& column : columns_asked(names_query(where, tables), tables)) {
    EXPECT_EQ(column.name, column.table->name + ":" + std::string(column.column));
    out += column.name + " ";
  }
  return out;
}

TEST(FieldNames, ColumnsThatAreAskedFor) {
  EXPECT_EQ(columns_of(R"("name":"name","value":"MessageTable:Messagetype","op":1)"), "MessageTable:Messagetype ");
  EXPECT_EQ(columns_of(R"("name":"name","value":"Rack:","op":7)"),
            "Rack:Category Rack:IPAddress Rack:Level Rack:Messagetype Rack:ModuleId Rack:ObjectId Rack:ObjectName "
            "Rack:Source Rack:Type ");
  EXPECT_EQ(columns_of(R"("name":"name","value":"ConfigObjectTable:ObjectId","op":7)"), "ConfigObjectTable:ObjectId ");
  EXPECT_EQ(columns_of(R"("name":"name","value":"MessageTable:Xmlmessage","op":1)"), "");
  EXPECT_EQ(columns_of(R"("name":"name","value":"Nothing","op":7)"), "");
  EXPECT_EQ(columns_of(R"("name":"name","value":"Rack:Source","op":1},{"name":"fields.value","value":"a","op":2)"),
            "Rack:Source ");
  EXPECT_EQ(columns_of(R"("name":"name","value":"Rack:Source","op":1}],[{"name":"name","value":"Rack:Type","op":1)"),
            "Rack:Source Rack:Type ");
  EXPECT_EQ(columns_of(""), columns_of(R"("name":"fields.value","value":"a","op":1)"));
}

TEST(FieldNames, ValuesThatAreAskedFor) {
  const Tables tables;
  const auto fulfils = [&](std::string_view where) {
    return value_fulfils(names_query(where, tables), "MessageTable:Source", "h1");
  };
  EXPECT_TRUE(fulfils(""));
  EXPECT_TRUE(fulfils(R"("name":"name","value":"MessageTable:Source","op":1)"));
  EXPECT_FALSE(fulfils(R"("name":"name","value":"MessageTable:ModuleId","op":1)"));
  EXPECT_TRUE(fulfils(R"("name":"fields.value","value":"h","op":7)"));
  EXPECT_FALSE(fulfils(R"("name":"fields.value","value":"h","op":1)"));
  EXPECT_FALSE(fulfils(R"("name":"fields.value","value":"h1","op":2)"));
  EXPECT_TRUE(fulfils(R"("name":"fields.value","value":"h[0-9]","op":8)"));
  EXPECT_TRUE(fulfils(R"("name":"fields.value","value":"1","op":9)"));
  EXPECT_FALSE(fulfils(R"("name":"name","value":"X","op":7},{"name":"fields.value","value":"h","op":7)"));
  std::string out;
  append_value_json(out, names_query("", tables), "MessageTable:Source", "h\"1");
  EXPECT_EQ(out, R"({"fields.value":"h\"1","name":"MessageTable:Source"})");
}

}  // namespace
}  // namespace varve::language::analytics
