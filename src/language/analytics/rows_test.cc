// SPDX-License-Identifier: Apache-2.0
// Messages, a query, and the rows of its answer.
#include "language/analytics/rows.h"

#include <gtest/gtest.h>

#include "message/builder.h"
#include "message/matches.h"

namespace varve::language::analytics {
namespace {

using message::Column;
using message::FieldForm;

class RowsTest : public ::testing::Test {
 protected:
  // A message, with what `fill` adds to it.
  template <class Fill>
  void add(std::int64_t time_us, const Fill& fill) {
    message::Builder builder(batch_);
    builder.start();
    fill(builder);
    builder.finish(time_us);
  }

  static AnalyticsQuery query_of(std::string_view table, std::string_view select, std::string_view more = "") {
    const std::string seen[] = {"Rack"};
    const Tables tables(seen);
    auto query =
        parse_query(R"({"table":")" + std::string(table) + R"(","start_time":0,"end_time":"now","select_fields":)" +
                        std::string(select) + std::string(more) + "}",
                    {1'000'000'000, tables, [](std::string_view name) { return name.size() == 1; }});
    EXPECT_TRUE(query) << query.error().message;
    return *query;
  }

  // As a reader finds them: messages that fulfil the condition, and their rows.
  [[nodiscard]] std::string rows_of(const AnalyticsQuery& query) const {
    MessageRows rows(query);
    std::string out;
    const auto bytes = batch_.bytes();
    for (std::size_t at = 0; at < bytes.size();) {
      const message::RowView row{bytes.data() + at};
      at += row.bytes();
      if (!message::matches(query.condition, row)) continue;
      const std::size_t count = rows.read(row);
      for (std::size_t i = 0; i < count; ++i) rows.append_json(out, i);
    }
    return out;
  }
  [[nodiscard]] std::string answer(std::string_view table, std::string_view select, std::string_view where = "",
                                   std::string_view more = "") const {
    const std::string term = where.empty() ? "" : R"(,"where":[[{)" + std::string(where) + "}]]";
    return rows_of(query_of(table, select, term + std::string(more)));
  }

  message::Batch batch_;
};

TEST_F(RowsTest, EveryColumn) {
  add(1'488'491'800'401'440, [](message::Builder& b) {
    EXPECT_TRUE(b.set(Column::source, "h1"));
    EXPECT_TRUE(b.set(Column::module, "m"));
    EXPECT_TRUE(b.set(Column::type, "t"));
    EXPECT_TRUE(b.set(Column::node_type, "n"));
    EXPECT_TRUE(b.set(Column::instance, "0"));
    EXPECT_TRUE(b.set(Column::category, "c"));
    EXPECT_TRUE(b.set(Column::ip, "10.0.0.1"));
    b.set(Column::level, 0x7fffffff);
    b.set(Column::kind, 6);
    b.set(Column::pid, -5);
    b.set(Column::sequence, 1LL << 60);
    EXPECT_TRUE(b.add_object("Rack:1"));
    EXPECT_TRUE(b.add_object("Other:x:\"y\""));
    EXPECT_TRUE(b.set(Column::text, "\xff<&>\n"));
    EXPECT_TRUE(b.add_field("s", FieldForm::text, "5"));
    EXPECT_TRUE(b.add_field("n", FieldForm::number, "1.50"));
    EXPECT_TRUE(b.add_field("l", FieldForm::json, "[1,2]"));
  });
  EXPECT_EQ(answer("MessageTable", R"(["MessageTS","Source","ModuleId","Messagetype","NodeType","InstanceId","Category",
                      "IPAddress","Level","Type","Pid","SequenceNum","ObjectName","Xmlmessage"])"),
            R"({"MessageTS":1488491800401440,"Source":"h1","ModuleId":"m","Messagetype":"t","NodeType":"n",)"
            R"("InstanceId":"0","Category":"c","IPAddress":"10.0.0.1","Level":2147483647,"Type":6,"Pid":-5,)"
            R"("SequenceNum":1152921504606846976,"ObjectName":["Rack:1","Other:x:\"y\""],)"
            "\"Xmlmessage\":\"\xef\xbf\xbd<&>\\u000a\"}");
  EXPECT_EQ(answer("MessageTable", R"(["l","time","n","kind","s","type","x"])"),
            R"({"l":[1,2],"time":1488491800401440,"n":1.50,"kind":6,"s":"5","type":"t","x":null})");
  EXPECT_EQ(answer("MessageTable", R"(["Type"])"), R"({"Type":6})");
  EXPECT_EQ(answer("MessageTable", R"(["*","Type","s"])"), R"({"Type":6,"s":"5","n":1.50,"l":[1,2]})");
  EXPECT_EQ(answer("MessageTable", R"(["*"])"), R"({"s":"5","n":1.50,"l":[1,2]})");
  EXPECT_EQ(answer("Rack", R"(["ObjectId","*","x"])"), R"({"ObjectId":"1","x":null,"s":"5","n":1.50,"l":[1,2]})");
}

TEST_F(RowsTest, AbsentIsNull) {
  add(7, [](message::Builder&) {});
  EXPECT_EQ(answer("MessageTable", R"(["*"])"), "{}");
  EXPECT_EQ(answer("MessageTable", R"(["MessageTS","Source","Level","ObjectName","Xmlmessage","f"])"),
            R"({"MessageTS":7,"Source":null,"Level":null,"ObjectName":null,"Xmlmessage":null,"f":null})");
}

TEST_F(RowsTest, IdsAreGivenOrMade) {
  add(1'000, [](message::Builder& b) {
    b.set_id({'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'});
  });
  add(2'000, [](message::Builder&) {});
  const std::string given = R"({"id":"30313233-3435-3637-3839-616263646566"})";
  const std::string made = R"({"id":"00000000-0002-8000-8000-000000000000"})";
  EXPECT_EQ(answer("MessageTable", R"(["id"])"), given + made);
  EXPECT_EQ(answer("MessageTable", R"(["id"])", R"("name":"id","value":"30313233-3435-3637-3839-616263646566","op":1)"),
            given);
  EXPECT_EQ(answer("MessageTable", R"(["id"])", R"("name":"id","value":"00000000-0002-8000-8000-000000000000","op":1)"),
            made);
}

// Characters that other stores take for patterns are just characters.
TEST_F(RowsTest, ValuesAreComparedAsTheyAre) {
  for (const auto* source : {"a%'\"\\*:b", "a", "axb", "%"}) {
    add(1, [&](message::Builder& b) { EXPECT_TRUE(b.set(Column::source, source)); });
  }
  EXPECT_EQ(answer("MessageTable", R"(["Source"])", R"("name":"Source","value":"a%'\"\\*:b","op":1)"),
            R"({"Source":"a%'\"\\*:b"})");
  EXPECT_EQ(answer("MessageTable", R"(["Source"])", R"("name":"Source","value":"%","op":7)"), R"({"Source":"%"})");
  EXPECT_EQ(answer("MessageTable", R"(["Source"])", R"("name":"Source","value":"a*","op":1)"), "");
}

// Filters see columns that are not selected.
TEST_F(RowsTest, WhereAndFilter) {
  const std::pair<const char*, const char*> messages[] = {{"contrail-collector", "h1"},
                                                          {"contrail-query-engine", "h1"},
                                                          {"contrail-analytics-api", "h1"},
                                                          {"contrail-query-engine", "h2"}};
  for (const auto& [module, source] : messages) {
    add(1, [&](message::Builder& b) {
      EXPECT_TRUE(b.set(Column::module, module));
      EXPECT_TRUE(b.set(Column::source, source));
    });
  }
  const std::string engine = R"({"name":"ModuleId","value":"contrail-query-engine","op":1})";
  const std::string collector = R"({"name":"ModuleId","value":"contrail-collector","op":1})";
  const std::string api = R"({"name":"ModuleId","value":"contrail-analytics-api","op":1})";
  const std::string host = R"({"name":"Source","value":"h1","op":1})";
  const auto with = [&](const std::string& where, const std::string& filter) {
    std::string more = where.empty() ? "" : ",\"where\":" + where;
    if (!filter.empty()) more += ",\"filter\":" + filter;
    return rows_of(query_of("MessageTable", R"(["s"])", more)).size() / std::string_view(R"({"s":null})").size();
  };
  EXPECT_EQ(with("[[" + engine + "],[" + host + "]]", ""), 4U);
  EXPECT_EQ(with("[[" + engine + "," + host + "]]", ""), 1U);
  EXPECT_EQ(with("[[" + engine + "],[" + host + "]]", "[" + engine + "]"), 2U);
  EXPECT_EQ(with("[[" + engine + "," + host + "]]", "[" + collector + "]"), 0U);
  EXPECT_EQ(with("", "[[" + collector + "]]"), 1U);
  EXPECT_EQ(with("", "[[" + collector + "],[" + api + "]]"), 2U);
  EXPECT_EQ(with("", "[" + engine + "," + host + "]"), 1U);
}

class ObjectRowsTest : public RowsTest {
 protected:
  ObjectRowsTest() {
    add_object(1, 1, "system", {"Rack:a"});
    add_object(2, 7, "object", {"Rack:b", "Other:x", "Rack:a"});
    add_object(3, 6, "uve", {"RackTwo:a"});
    add_object(4, 11, "alarm", {"Rack:vm11&>", "RackTwo:Rack:a"});
    add_object(5, 4, "trace", {"Rack:a"});
    add_object(6, 10, "syslog", {"Rack:ab:c"});
    add_object(7, 1, "none", {});
  }

 private:
  void add_object(std::int64_t time_us, std::int64_t kind, std::string_view text,
                  const std::vector<std::string_view>& names) {
    add(time_us, [&](message::Builder& b) {
      b.set(Column::kind, kind);
      EXPECT_TRUE(b.set(Column::text, text));
      for (const auto name : names) EXPECT_TRUE(b.add_object(name));
    });
  }
};

TEST_F(ObjectRowsTest, ARowForEachIdOfTheTable) {
  EXPECT_EQ(answer("Rack", R"(["MessageTS","ObjectId"])"),
            R"({"MessageTS":1,"ObjectId":"a"}{"MessageTS":2,"ObjectId":"b"}{"MessageTS":2,"ObjectId":"a"})"
            R"({"MessageTS":4,"ObjectId":"vm11&>"}{"MessageTS":6,"ObjectId":"ab:c"})");
  EXPECT_EQ(answer("ObjectVNTable", R"(["ObjectId"])"), "");
}

TEST_F(ObjectRowsTest, LogsAreOfTheKind) {
  EXPECT_EQ(answer("Rack", R"(["ObjectLog","SystemLog"])"),
            R"({"ObjectLog":null,"SystemLog":"system"}{"ObjectLog":"object","SystemLog":null})"
            R"({"ObjectLog":"object","SystemLog":null}{"ObjectLog":"alarm","SystemLog":null})"
            R"({"ObjectLog":null,"SystemLog":"syslog"})");
  EXPECT_EQ(answer("Rack", R"(["ObjectLog"])"), R"({"ObjectLog":"object"}{"ObjectLog":"object"}{"ObjectLog":"alarm"})");
  EXPECT_EQ(answer("Rack", R"(["SystemLog"])"), R"({"SystemLog":"system"}{"SystemLog":"syslog"})");
  EXPECT_EQ(answer("Rack", R"(["MessageTS"])", R"("name":"ObjectLog","value":"a","op":7)"), R"({"MessageTS":4})");
  EXPECT_EQ(answer("Rack", R"(["MessageTS"])", R"("name":"SystemLog","value":"s.*","op":8)"),
            R"({"MessageTS":1}{"MessageTS":6})");
  EXPECT_EQ(answer("Rack", R"(["MessageTS"])", R"("name":"SystemLog","value":"system","op":2)"),
            R"({"MessageTS":2}{"MessageTS":2}{"MessageTS":4}{"MessageTS":6})");
}

TEST_F(ObjectRowsTest, IdsAreAskedOfEachRow) {
  const auto ids = [&](std::string_view where) { return answer("Rack", R"(["MessageTS","ObjectId"])", where); };
  EXPECT_EQ(ids(R"("name":"ObjectId","value":"a","op":1)"),
            R"({"MessageTS":1,"ObjectId":"a"}{"MessageTS":2,"ObjectId":"a"})");
  EXPECT_EQ(ids(R"("name":"ObjectId","value":"a","op":7)"),
            R"({"MessageTS":1,"ObjectId":"a"}{"MessageTS":2,"ObjectId":"a"}{"MessageTS":6,"ObjectId":"ab:c"})");
  EXPECT_EQ(ids(R"("name":"ObjectId","value":"a","op":2)"),
            R"({"MessageTS":2,"ObjectId":"b"}{"MessageTS":4,"ObjectId":"vm11&>"}{"MessageTS":6,"ObjectId":"ab:c"})");
  EXPECT_EQ(ids(R"("name":"ObjectId","value":".","op":8)"),
            R"({"MessageTS":1,"ObjectId":"a"}{"MessageTS":2,"ObjectId":"b"}{"MessageTS":2,"ObjectId":"a"})");
  EXPECT_EQ(ids(R"("name":"ObjectId","value":"b","op":9)"),
            R"({"MessageTS":2,"ObjectId":"b"}{"MessageTS":6,"ObjectId":"ab:c"})");
  EXPECT_EQ(ids(R"("name":"ObjectId","value":"a%","op":1)"), "");
  // OR, with a term that is not of the id; and where and filter of two ids that one message has.
  EXPECT_EQ(
      answer("Rack", R"(["ObjectId"])", R"("name":"ObjectId","value":"b","op":1}],[{"name":"Type","value":7,"op":1)"),
      R"({"ObjectId":"b"}{"ObjectId":"a"})");
  EXPECT_EQ(answer("Rack", R"(["ObjectId"])", R"("name":"ObjectId","value":"b","op":1)",
                   R"(,"filter":[{"name":"ObjectId","value":"a","op":1}])"),
            "");
  EXPECT_EQ(answer("Rack", R"(["ObjectId"])", R"("name":"ObjectName","value":"Other:x","op":1)"),
            R"({"ObjectId":"b"}{"ObjectId":"a"})");
}

TEST_F(RowsTest, Groups) {
  add(-1, [](message::Builder& b) { b.set(Column::level, 3); });
  const auto group = [&](std::string_view select) {
    const auto query = query_of("MessageTable", select, R"(,"aggregate":["count"])");
    MessageRows rows(query);
    EXPECT_EQ(rows.read({batch_.bytes().data()}), 1U);
    std::string out;
    rows.append_group(out, 0);
    finish_group(out, 5);
    return out;
  };
  EXPECT_EQ(group(R"(["count","T=2","Level","Source"])"), R"({"T=":-2000000,"Level":3,"Source":null,"count":5})");
  EXPECT_EQ(group("[]"), R"({"count":5})");
}

TEST(AnalyticsRows, WindowsBeginAtMultiplesOfTheirWidth) {
  EXPECT_EQ(window_start(59'999'999, 60'000'000), 0);
  EXPECT_EQ(window_start(60'000'000, 60'000'000), 60'000'000);
  EXPECT_EQ(window_start(0, 60'000'000), 0);
  EXPECT_EQ(window_start(-1, 60'000'000), -60'000'000);
  EXPECT_EQ(window_start(-60'000'000, 60'000'000), -60'000'000);
}

}  // namespace
}  // namespace varve::language::analytics
