// SPDX-License-Identifier: Apache-2.0
// One line a case: queries of object tables and of FieldNames.
#include <gtest/gtest.h>

#include "language/analytics/query.h"
#include "language/testing/analytics_text.h"

namespace varve::language::analytics {
namespace {

std::string read_table(std::string_view table, std::string_view select, std::string_view more) {
  const std::string seen[] = {"Rack"};
  const Tables tables(seen);
  const auto query =
      parse_query(R"({"table":")" + std::string(table) + R"(","start_time":5,"end_time":9,"select_fields":)" +
                      std::string(select) + (more.empty() ? "" : ",") + std::string(more) + "}",
                  {0, tables, [](std::string_view name) { return name == "user"; }});
  if (!query) return query.error().message;
  EXPECT_EQ(query->table.kind, table.starts_with("Stat") ? TableKind::stat : TableKind::object);
  return testing::text_of(*query);
}

// A term of where, and what a message has to fulfil for it.
std::string asked(std::string_view written) {
  const std::string out = read_table("Rack", R"(["Source"])", R"("where":[[{)" + std::string(written) + "}]]");
  const std::string_view front = "Rack 5..9 ((objects^\"Rack:\" & kind≠\"4\")";
  return out.starts_with(front) ? out.substr(front.size()) : out;
}

TEST(ObjectQuery, IsOfMessagesThatNameOneOfTheTypeAndAreNoTraces) {
  EXPECT_EQ(read_table("Rack", R"(["MessageTS","ObjectId"])", ""),
            "Rack 5..9 ((objects^\"Rack:\" & kind≠\"4\")) select MessageTS ObjectId");
  // A type whose name begins another's.
  EXPECT_EQ(read_table("ConfigObjectTable", R"(["Source"])", ""),
            "ConfigObjectTable 5..9 ((objects^\"ConfigObjectTable:\" & kind≠\"4\")) select Source");
  EXPECT_EQ(read_table("Rack", R"(["Source","user","ObjectName","Xmlmessage"])", ""),
            "Rack 5..9 ((objects^\"Rack:\" & kind≠\"4\")) select Source user ObjectName Xmlmessage");
  EXPECT_EQ(read_table("Rack", R"(["Foo"])", ""), "'Foo' is neither a column of Rack nor a field of a message");
  EXPECT_EQ(read_table("Rock", R"(["Source"])", ""), "there is no table 'Rock'");
}

TEST(ObjectQuery, OneLogIsOfSomeKindsOfMessages) {
  const std::string front = "Rack 5..9 ((objects^\"Rack:\" & kind≠\"4\")";
  const std::string kinds = "(kind=\"6\" | kind=\"7\" | kind=\"11\")";
  EXPECT_EQ(read_table("Rack", R"(["ObjectLog"])", ""), front + " & " + kinds + ") select ObjectLog");
  EXPECT_EQ(read_table("Rack", R"(["SystemLog"])", ""), front + " & !" + kinds + ") select SystemLog");
  EXPECT_EQ(read_table("Rack", R"(["ObjectLog","SystemLog"])", ""), front + ") select ObjectLog SystemLog");
}

TEST(ObjectQuery, IdsAreNamesWithoutTheirType) {
  EXPECT_EQ(asked(R"("name":"ObjectId","value":"a:b","op":1)"), " & objects=\"Rack:a:b\") of ids select Source");
  EXPECT_EQ(asked(R"("name":"ObjectId","value":"a:","op":7)"), " & objects^\"Rack:a:\") of ids select Source");
  // A message may have another id, so these are asked of each row (rows_test.cc).
  EXPECT_EQ(asked(R"("name":"ObjectId","value":"a","op":2)"), ") of ids select Source");
  EXPECT_EQ(asked(R"("name":"ObjectId","value":"a.*","op":8)"), ") of ids select Source");
  EXPECT_EQ(asked(R"("name":"ObjectId","value":"a","op":9)"), ") of ids select Source");
  EXPECT_EQ(asked(R"("name":"ObjectId","value":"a","op":5)"), "where[0][0]: ObjectId has no operator 5 (<=)");
  EXPECT_EQ(asked(R"("name":"ObjectId","value":"a","op":3,"value2":"b")"),
            "where[0][0]: ObjectId has no operator 3 (range)");
  EXPECT_EQ(asked(R"("name":"ObjectId","value":"(","op":8)"), "where[0][0]: regular expression '(': missing ): (");
}

TEST(ObjectQuery, LogsAreAbsentInMessagesOfOtherKinds) {
  const std::string kinds = "(kind=\"6\" | kind=\"7\" | kind=\"11\")";
  EXPECT_EQ(asked(R"("name":"ObjectLog","value":"x","op":9)"), " & (" + kinds + " & text has \"x\")) select Source");
  EXPECT_EQ(asked(R"("name":"ObjectLog","value":"x","op":2)"), " & (!" + kinds + " | text≠\"x\")) select Source");
  EXPECT_EQ(asked(R"("name":"SystemLog","value":"x","op":7)"), " & (!" + kinds + " & text^\"x\")) select Source");
  EXPECT_EQ(asked(R"("name":"SystemLog","value":"x","op":2)"), " & (" + kinds + " | text≠\"x\")) select Source");
  EXPECT_EQ(asked(R"("name":"SystemLog","value":"x","op":6)"), "where[0][0]: SystemLog has no operator 6 (>=)");
  EXPECT_EQ(asked(R"("name":"Keyword","value":"x","op":1)"), " & text word \"x\") select Source");
}

TEST(ObjectQuery, OnlyTheIdIsAListOfIds) {
  const std::string front = "Rack 5..9 ((objects^\"Rack:\" & kind≠\"4\")) select ";
  EXPECT_EQ(read_table("Rack", R"(["ObjectId"])", ""), front + "ObjectId lists ids");
  EXPECT_EQ(read_table("Rack", R"(["ObjectId"])", R"("sort_fields":["ObjectId"],"sort":2,"limit":5)"),
            front + "ObjectId sort ObjectId down limit 5 lists ids");
  EXPECT_EQ(read_table("Rack", R"(["ObjectId","Source"])", ""), front + "ObjectId Source");
  EXPECT_EQ(read_table("Rack", R"(["ObjectId"])", R"("aggregate":["count"])"), front + "ObjectId count counts");
}

TEST(FieldNamesQuery, HasItsOwnColumns) {
  constexpr std::string_view kTable = "StatTable.FieldNames.fields";
  const auto with = [&](std::string_view written) {
    return read_table(kTable, R"(["fields.value"])", R"("where":[[{)" + std::string(written) + "}]]");
  };
  const std::string plain = "StatTable.FieldNames.fields 5..9";
  EXPECT_EQ(read_table(kTable, R"(["name","fields.value"])", ""), plain + " select name fields.value");
  EXPECT_TRUE(with(R"("name":"name","value":"MessageTable:Messagetype","op":1)").starts_with(plain));
  EXPECT_TRUE(with(R"("name":"name","value":"Message","op":7)").starts_with(plain));
  EXPECT_TRUE(with(R"("name":"fields.value","value":"a","op":2)").starts_with(plain));
  EXPECT_EQ(with(R"("name":"name","value":"a","op":2)"), "where[0][0]: name has no operator 2 (not equal)");
  EXPECT_EQ(with(R"("name":"fields.value","value":"a","op":6)"), "where[0][0]: fields.value has no operator 6 (>=)");
  EXPECT_EQ(with(R"("name":"Source","value":"a","op":1)"),
            "where[0][0]: 'Source' is not a column of StatTable.FieldNames.fields: name, fields.value");
  EXPECT_EQ(with(R"("name":"user","value":"a","op":1)"),
            "where[0][0]: 'user' is not a column of StatTable.FieldNames.fields: name, fields.value");
  EXPECT_EQ(read_table(kTable, R"j(["COUNT(fields)"])j", ""),
            "'COUNT(fields)' is not a column of StatTable.FieldNames.fields: name, fields.value");
  EXPECT_EQ(read_table(kTable, R"(["name"])", R"("aggregate":["count"])"),
            "StatTable.FieldNames.fields has values, which are not counted");
}

}  // namespace
}  // namespace varve::language::analytics
