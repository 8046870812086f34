// SPDX-License-Identifier: Apache-2.0
// One line a case: members of a body, and the query or the error that they make.
#include "language/analytics/query.h"

#include <gtest/gtest.h>

#include "language/testing/analytics_text.h"

namespace varve::language::analytics {
namespace {

constexpr std::int64_t kNowUs = 1'000'000'000;
constexpr std::string_view kId = "0f8fad5b-d9cb-469f-a165-70867728950e";

std::string read(std::string_view body) {
  const std::string seen[] = {"Rack"};
  const Tables tables(seen);
  const auto known = [](std::string_view name) { return name == "user" || name == "http.status" || name == "count"; };
  const auto query = parse_query(body, {kNowUs, tables, known});
  if (query) return testing::text_of(*query);
  switch (query.error().code) {
    case Code::invalid: return "malformed: " + query.error().message;
    case Code::unsupported: return "meaningless: " + query.error().message;
    case Code::not_found: return "no table: " + query.error().message;
    default: return "?: " + query.error().message;
  }
}

// A good query of the table, and these members besides.
std::string read_of(std::string_view table, std::string_view select, std::string_view more) {
  return read(R"({"table":")" + std::string(table) + R"(","start_time":5,"end_time":9,"select_fields":)" +
              std::string(select) + (more.empty() ? "" : ",") + std::string(more) + "}");
}
std::string message_query(std::string_view more) { return read_of("MessageTable", R"(["Source"])", more); }
// Where with one term; without what every case has.
std::string term(std::string_view written, std::string_view table = "MessageTable") {
  const std::string out = read_of(table, R"(["Source"])", R"("where":[[{)" + std::string(written) + "}]]");
  const std::string front = std::string(table) + " 5..9 (", back = ") select Source";
  return out.starts_with(front)
             ? out.substr(front.size(), out.find(back) - front.size()) + out.substr(out.find(back) + back.size())
             : out;
}

TEST(AnalyticsQuery, Whole) {
  EXPECT_EQ(
      read(R"({"table":"MessageTable","start_time":"now-10m","end_time":"now",
                     "select_fields":["MessageTS","Source","level","user","Level"],
                     "where":[[{"name":"Source","value":"node-1","op":1},{"name":"ModuleId","value":"contrail-","op":7}],
                              [{"name":"Messagetype","value":"NodeStatusUVE","op":1}]],
                     "filter":[[{"name":"Level","value":4,"op":5}]],
                     "sort_fields":["MessageTS","Source"],"sort":2,"limit":100})"),
      "MessageTable 400000000..1000000000 (((source=\"node-1\" & module^\"contrail-\") | type=\"NodeStatusUVE\") & "
      "level in ..4) select MessageTS Source level user Level sort MessageTS Source down limit 100");
  EXPECT_EQ(message_query(""), "MessageTable 5..9 select Source");
  EXPECT_EQ(message_query(R"("where":null,"filter":null,"limit":null,"sort":null,"sort_fields":null,"follow":null)"),
            "MessageTable 5..9 select Source");
  EXPECT_EQ(message_query(R"("dir":null,"session_type":null,"is_service_instance":null)"),
            "MessageTable 5..9 select Source");
}

TEST(AnalyticsQuery, BodiesThatAreMalformed) {
  const struct {
    std::string_view body, error;
  } cases[] = {
      {"", "malformed: the body is not JSON: End of input at line 1 column 1"},
      {"{table:1}", "malformed: the body is not JSON: "},
      {R"({"table":"MessageTable",})", "malformed: the body is not JSON: "},
      {R"({"table":"MessageTable"} x)", "malformed: the body is not JSON: "},
      {"{\"table\":\"\xff\"}", "malformed: the body is not JSON: the JSON is not valid UTF-8"},
      {"[]", "malformed: the body is not a JSON object"},
      {"null", "malformed: the body is not a JSON object"},
      {"{}", "malformed: member 'table' is missing"},
      {R"({"table":null})", "malformed: member 'table' is missing"},
      {R"({"table":5})", "malformed: table is not a text"},
      {R"({"tabel":"MessageTable"})", "malformed: member 'tabel' is not known"},
      {R"({"dir":1})", "malformed: member 'dir' is not supported"},
      {R"({"tabel":null})", "malformed: member 'tabel' is not known"},
      {R"({"table":"MessageTable","table":"X"})", "malformed: member 'table' is there twice"},
      {R"({"table":"X"})", "no table: there is no table 'X'"},
      {R"({"table":"FlowRecordTable"})", "no table: there is no table 'FlowRecordTable'"},
      {R"({"table":"MessageTable"})", "malformed: member 'start_time' is missing"},
      {R"({"table":"MessageTable","start_time":1})", "malformed: member 'end_time' is missing"},
      {R"({"table":"MessageTable","start_time":1,"end_time":2})", "malformed: member 'select_fields' is missing"},
  };
  for (const auto& [body, error] : cases) EXPECT_TRUE(read(body).starts_with(error)) << read(body);
}

TEST(AnalyticsQuery, Times) {
  const auto at = [](std::string_view start, std::string_view end) {
    return read(R"({"table":"MessageTable","select_fields":["Source"],"start_time":)" + std::string(start) +
                R"(,"end_time":)" + std::string(end) + "}");
  };
  EXPECT_EQ(at("5", "5"), "MessageTable 5..5 select Source");
  EXPECT_EQ(at(R"("5")", R"("now+1s")"), "MessageTable 5..1001000000 select Source");
  EXPECT_EQ(at("6", "5"), "meaningless: start_time 6 is after end_time 5");
  EXPECT_EQ(at(R"("now")", R"("now-1s")"), "meaningless: start_time 1000000000 is after end_time 999000000");
  constexpr std::string_view kForms =
      "' is not a time: it is microseconds since 1970, now, or now with + or -, a number and one of s m h d";
  EXPECT_EQ(at("1.5", "2"), "malformed: start_time: '1.5" + std::string(kForms));
  EXPECT_EQ(at("1", "1e3"), "malformed: end_time: '1e3" + std::string(kForms));
  EXPECT_EQ(at("1", R"("now+2d2h")"), "malformed: end_time: 'now+2d2h" + std::string(kForms));
  EXPECT_EQ(at("true", "2"), "malformed: start_time is neither a number nor a text");
  EXPECT_EQ(at("[1]", "2"), "malformed: start_time is neither a number nor a text");
  EXPECT_EQ(at("1", "null"), "malformed: member 'end_time' is missing");
}

TEST(AnalyticsQuery, OperatorsOfTexts) {
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":1)"), "source=\"a\"");
  EXPECT_EQ(term(R"("name":"source","value":"a","op":2)"), "source≠\"a\"");
  EXPECT_EQ(term(R"("name":"ModuleId","value":"a*","op":7)"), "module^\"a*\"");
  EXPECT_EQ(term(R"("name":"Messagetype","value":"a.*","op":8)"), "type~\"a.*\"");
  EXPECT_EQ(term(R"("name":"Xmlmessage","value":"%'\"\\","op":9)"), "text has \"%'\"\\\"");
  EXPECT_EQ(term(R"("name":"IPAddress","value":"10.","op":7)"), "ip^\"10.\"");
  EXPECT_EQ(term(R"("name":"Category","value":5,"op":1)"), "category=\"5\"");
  EXPECT_EQ(term(R"("name":"NodeType","value":"","op":7,"value2":null,"suffix":null)"), "node_type^\"\"");
  EXPECT_EQ(term(R"("name":"InstanceId","value":"0","op":1)"), "instance=\"0\"");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":3,"value2":"b")"),
            "meaningless: where[0][0]: Source has no operator 3 (range)");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":4,"value2":"b")"),
            "meaningless: where[0][0]: Source has no operator 4 (not in range)");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":5)"), "meaningless: where[0][0]: Source has no operator 5 (<=)");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":6)"), "meaningless: where[0][0]: Source has no operator 6 (>=)");
  EXPECT_EQ(term(R"("name":"Source","value":"(","op":8)"),
            "meaningless: where[0][0]: regular expression '(': missing ): (");
}

TEST(AnalyticsQuery, OperatorsOfNumbers) {
  EXPECT_EQ(term(R"("name":"Level","value":4,"op":1)"), "level=\"4\"");
  EXPECT_EQ(term(R"("name":"Level","value":"WARN","op":2)"), "level≠\"4\"");
  EXPECT_EQ(term(R"("name":"Level","value":"err","op":5)"), "level in ..3");
  EXPECT_EQ(term(R"("name":"level","value":"crit","op":3,"value2":"info")"), "level in 2..6");
  EXPECT_EQ(term(R"("name":"Type","value":"uve","op":1)"), "kind=\"6\"");
  EXPECT_EQ(term(R"("name":"kind","value":"System","op":6)"), "kind in 1..");
  EXPECT_EQ(term(R"("name":"Pid","value":"5","op":4,"value2":7)"), "pid not in 5..7");
  EXPECT_EQ(term(R"("name":"SequenceNum","value":-9223372036854775808,"op":1)"), "sequence=\"-9223372036854775808\"");
  EXPECT_EQ(term(R"("name":"MessageTS","value":5,"op":6)"), "time in 5..");
  EXPECT_EQ(term(R"("name":"Level","value":7,"op":7)"), "meaningless: where[0][0]: Level has no operator 7 (prefix)");
  EXPECT_EQ(term(R"("name":"Level","value":7,"op":8)"),
            "meaningless: where[0][0]: Level has no operator 8 (regular expression)");
  EXPECT_EQ(term(R"("name":"Pid","value":7,"op":9)"), "meaningless: where[0][0]: Pid has no operator 9 (contains)");
  EXPECT_EQ(term(R"("name":"Level","value":"loud","op":1)"),
            "meaningless: where[0][0]: 'loud' is neither a whole number nor the name of a level");
  EXPECT_EQ(term(R"("name":"Type","value":"loud","op":1)"),
            "meaningless: where[0][0]: 'loud' is neither a whole number nor the name of a type of messages");
  EXPECT_EQ(term(R"("name":"Pid","value":1.5,"op":5)"), "meaningless: where[0][0]: '1.5' is not a whole number");
  EXPECT_EQ(term(R"("name":"Pid","value":9223372036854775808,"op":1)"),
            "meaningless: where[0][0]: '9223372036854775808' is not a whole number");
  EXPECT_EQ(term(R"("name":"Pid","value":7,"op":3,"value2":5)"),
            "meaningless: where[0][0]: a range from 7 to 5 is empty");
  EXPECT_EQ(term(R"("name":"Pid","value":7,"op":3)"), "malformed: where[0][0]: member 'value2' is missing");
  EXPECT_EQ(term(R"("name":"Pid","value":7,"op":5,"value2":9)"),
            "malformed: where[0][0]: value2 belongs to operators 3 and 4 only");
}

TEST(AnalyticsQuery, OperatorsOfNamesFieldsIdsAndWords) {
  EXPECT_EQ(term(R"("name":"ObjectName","value":"Rack:1","op":1)"), "objects=\"Rack:1\"");
  EXPECT_EQ(term(R"("name":"objects","value":"Rack:1","op":2)"), "objects≠\"Rack:1\"");
  EXPECT_EQ(term(R"("name":"ObjectName","value":"Rack:1","op":9)"), "objects has \"Rack:1\"");
  EXPECT_EQ(term(R"("name":"ObjectName","value":"R","op":6)"),
            "meaningless: where[0][0]: ObjectName has no operator 6 (>=)");
  EXPECT_EQ(term(R"("name":"user","value":"joe","op":1)"), "field user=\"joe\"");
  EXPECT_EQ(term(R"("name":"user","value":true,"op":1)"), "field user=\"true\"");
  EXPECT_EQ(term(R"("name":"user","value":"j","op":7)"), "field user^\"j\"");
  EXPECT_EQ(term(R"("name":"http.status","value":500,"op":3,"value2":599)"), "field http.status in 500..599");
  EXPECT_EQ(term(R"("name":"http.status","value":"x","op":6)"), "meaningless: where[0][0]: 'x' is not a whole number");
  EXPECT_EQ(term(R"("name":"id","value":")" + std::string(kId) + R"(","op":1)"), "id=<id>");
  EXPECT_EQ(term(R"("name":"id","value":"5","op":1)"), "meaningless: where[0][0]: '5' is not a UUID");
  EXPECT_EQ(term(R"("name":"id","value":"5","op":7)"), "meaningless: where[0][0]: id has no operator 7 (prefix)");
  EXPECT_EQ(term(R"("name":"Keyword","value":"TimeOut","op":1)"), "text word \"timeout\"");
  EXPECT_EQ(term(R"("name":"Keyword","value":"time","op":7)"), "text word^\"time\"");
  EXPECT_EQ(term(R"("name":"Keyword","value":"a b","op":1)"), "meaningless: where[0][0]: 'a b' is not one word");
  EXPECT_EQ(term(R"("name":"Keyword","value":"a","op":2)"),
            "meaningless: where[0][0]: Keyword has no operator 2 (not equal)");
  EXPECT_EQ(term(R"("name":"Keyword","value":"a","op":9)"),
            "meaningless: where[0][0]: Keyword has no operator 9 (contains)");
}

TEST(AnalyticsQuery, TermsThatAreNone) {
  EXPECT_EQ(term(R"("name":"Sorce","value":"a","op":1)"),
            "meaningless: where[0][0]: 'Sorce' is neither a column of MessageTable nor a field of a message");
  EXPECT_EQ(term(R"("name":"","value":"a","op":1)"),
            "meaningless: where[0][0]: '' is neither a column of MessageTable nor a field of a message");
  EXPECT_EQ(term(R"("name":"ObjectId","value":"a","op":1)"),
            "meaningless: where[0][0]: 'ObjectId' is neither a column of MessageTable nor a field of a message");
  EXPECT_EQ(term(R"("value":"a","op":1)"), "malformed: where[0][0]: member 'name' is missing");
  EXPECT_EQ(term(R"("name":"Source","op":1)"), "malformed: where[0][0]: member 'value' is missing");
  EXPECT_EQ(term(R"("name":"Source","value":"a")"), "malformed: where[0][0]: member 'op' is missing");
  EXPECT_EQ(term(R"("name":1,"value":"a","op":1)"), "malformed: where[0][0]: name is not a text");
  EXPECT_EQ(term(R"("name":"Source","value":["a"],"op":1)"),
            "malformed: where[0][0]: value is neither a text nor a number");
  EXPECT_EQ(term(R"("name":"Source","value":true,"op":1)"),
            "malformed: where[0][0]: value is neither a text nor a number");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":"1")"), "malformed: where[0][0]: op is not a whole number");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":0)"),
            "meaningless: where[0][0]: there is no operator 0: they are 1 to 9");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":10)"),
            "meaningless: where[0][0]: there is no operator 10: they are 1 to 9");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":1,"not":1)"), "malformed: where[0][0]: member 'not' is not known");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":1,"suffix":{"name":"x"})"),
            "malformed: where[0][0]: member 'suffix' is not supported");
  EXPECT_EQ(term(R"("name":"Source","value":"a","op":1,"op":2)"), "malformed: where[0][0]: member 'op' is there twice");
}

TEST(AnalyticsQuery, ListsOfTerms) {
  constexpr std::string_view kA = R"({"name":"Source","value":"a","op":1})";
  constexpr std::string_view kB = R"({"name":"Source","value":"b","op":1})";
  const auto with = [](std::string_view member, const std::string& list) {
    const std::string out = message_query("\"" + std::string(member) + "\":" + list);
    return out.starts_with("MessageTable 5..9") ? out.substr(18, out.size() - 18 - 14) : out;
  };
  const std::string a(kA), b(kB), both = a + "," + b;
  EXPECT_EQ(with("where", "[[" + both + "]]"), "((source=\"a\" & source=\"b\"))");
  EXPECT_EQ(with("where", "[[" + a + "],[" + b + "]]"), "((source=\"a\" | source=\"b\"))");
  EXPECT_EQ(with("filter", "[" + both + "]"), "((source=\"a\" & source=\"b\"))");
  EXPECT_EQ(with("filter", "[[" + a + "],[" + b + "]]"), "((source=\"a\" | source=\"b\"))");
  EXPECT_EQ(message_query(R"("filter":[])"), "MessageTable 5..9 select Source");
  EXPECT_EQ(with("where", "[]"), "meaningless: where is an empty list: it asks for nothing");
  EXPECT_EQ(with("where", "[[]]"), "meaningless: where[0] is an empty list: it asks for nothing");
  EXPECT_EQ(with("where", "[[" + a + "],[]]"), "meaningless: where[1] is an empty list: it asks for nothing");
  EXPECT_EQ(with("filter", "[[]]"), "meaningless: filter[0] is an empty list: it asks for nothing");
  EXPECT_EQ(with("where", a), "malformed: where is not a list of lists of terms");
  EXPECT_EQ(with("where", "[" + a + "]"), "malformed: where[0] is not a list");
  EXPECT_EQ(with("where", "[[5]]"), "malformed: where[0][0]: a term is an object with name, value and op");
  EXPECT_EQ(with("filter", "5"), "malformed: filter is not a list");
  EXPECT_EQ(with("filter", "[" + a + ",[" + b + "]]"),
            "malformed: filter[1]: a term is an object with name, value and op");
  EXPECT_EQ(with("filter", "[[" + a + "]," + b + "]"), "malformed: filter[1] is not a list");
  std::string many = a;
  for (std::size_t i = 0; i < kTermsMax; ++i) many += "," + a;
  EXPECT_EQ(with("where", "[[" + many + "]]"), "malformed: where and filter have more than 10000 terms");
}

TEST(AnalyticsQuery, Selections) {
  const auto with = [](std::string_view select, std::string_view more = "") {
    return read_of("MessageTable", select, more);
  };
  EXPECT_EQ(with(R"(["time","user","id","ObjectName","time"])"), "MessageTable 5..9 select time user id ObjectName");
  EXPECT_EQ(with(R"(["count"])"), "MessageTable 5..9 select count");  // a free field
  EXPECT_EQ(with("[]"), "malformed: select_fields is empty");
  EXPECT_EQ(with(R"("Source")"), "malformed: select_fields is not a list");
  EXPECT_EQ(with("[5]"), "malformed: an item of select_fields is not a text");
  EXPECT_EQ(with("null"), "malformed: member 'select_fields' is missing");
  EXPECT_EQ(with(R"(["Foo"])"), "meaningless: 'Foo' is neither a column of MessageTable nor a field of a message");
  EXPECT_EQ(with(R"(["Keyword"])"), "meaningless: Keyword is a word of the text: it cannot be selected");
  EXPECT_EQ(with(R"(["ObjectLog"])"),
            "meaningless: 'ObjectLog' is neither a column of MessageTable nor a field of a message");
  EXPECT_EQ(with(R"(["Source","*"])"), "MessageTable 5..9 select Source *");
  EXPECT_EQ(with(R"(["*"])", R"("sort_fields":["*"])"), "meaningless: '*' is all fields: name one to sort by");
  EXPECT_EQ(with(R"(["T=60"])"), "meaningless: 'T=60' is selected without \"aggregate\":[\"count\"]");
  std::string many = "[\"Source\"";
  for (std::size_t i = 0; i < kSelectedMax; ++i) many += ",\"Source\"";
  EXPECT_EQ(with(many + "]"), "malformed: select_fields has more than 1000 names");
}

TEST(AnalyticsQuery, Counts) {
  constexpr std::string_view kCounted = R"("aggregate":["count"])";
  const auto with = [&](std::string_view select, std::string_view more = "") {
    return read_of("MessageTable", select, std::string(kCounted) + std::string(more));
  };
  EXPECT_EQ(with(R"(["Level","T=60"])"), "MessageTable 5..9 select Level T=60 count counts");
  EXPECT_EQ(with(R"(["count","Level"])"), "MessageTable 5..9 select count Level counts");
  EXPECT_EQ(with(R"(["*"])"), "meaningless: '*' is all fields: they are not counted together");
  EXPECT_EQ(with("[]"), "MessageTable 5..9 select count counts");
  EXPECT_EQ(with(R"(["Level"])", R"(,"sort_fields":["count"],"sort":2,"limit":3)"),
            "MessageTable 5..9 select Level count sort count down limit 3 counts");
  EXPECT_EQ(with(R"(["T=5"])", R"(,"sort_fields":["T="])"), "MessageTable 5..9 select T=5 count sort T= counts");
  EXPECT_EQ(with(R"(["T=5"])", R"(,"sort_fields":["T=5"])"), "MessageTable 5..9 select T=5 count sort T= counts");
  EXPECT_EQ(with(R"(["T=5"])", R"(,"sort_fields":["T=6"])"), "meaningless: sort field 'T=6' is not selected");
  EXPECT_EQ(with(R"(["T=5","T=5"])"), "MessageTable 5..9 select T=5 count counts");
  EXPECT_EQ(with(R"(["T=5","T=6"])"), "meaningless: select_fields has windows of two widths");
  for (const auto* bad : {"T=", "T=0", "T=-1", "T=x", "T=1.5", "T=9223372036854775807"}) {
    EXPECT_EQ(with("[\"" + std::string(bad) + "\"]"),
              "meaningless: '" + std::string(bad) + "' is not a window: behind T= stands a number of seconds");
  }
  EXPECT_EQ(message_query(R"("aggregate":["sum"])"), "meaningless: there is no aggregate 'sum': it is count");
  EXPECT_EQ(message_query(R"("aggregate":[])"), "malformed: aggregate is not a list with count in it");
  EXPECT_EQ(message_query(R"("aggregate":"count")"), "malformed: aggregate is not a list with count in it");
  EXPECT_EQ(message_query(R"("aggregate":[1])"), "malformed: an item of aggregate is not a text");
}

TEST(AnalyticsQuery, SortAndLimit) {
  EXPECT_EQ(message_query(R"("sort_fields":["Source"])"), "MessageTable 5..9 select Source sort Source");
  EXPECT_EQ(message_query(R"("sort_fields":["source","Source"],"sort":1)"),
            "MessageTable 5..9 select Source sort Source");
  EXPECT_EQ(message_query(R"("sort_fields":["Source"],"sort":2)"), "MessageTable 5..9 select Source sort Source down");
  EXPECT_EQ(message_query(R"("sort_fields":[])"), "MessageTable 5..9 select Source");
  EXPECT_EQ(message_query(R"("sort_fields":["ModuleId"])"), "meaningless: sort field 'ModuleId' is not selected");
  EXPECT_EQ(message_query(R"("sort_fields":["Foo"])"), "meaningless: sort field 'Foo' is not selected");
  EXPECT_EQ(message_query(R"("sort_fields":"Source")"), "malformed: sort_fields is not a list");
  EXPECT_EQ(message_query(R"("sort_fields":[1])"), "malformed: an item of sort_fields is not a text");
  EXPECT_EQ(message_query(R"("sort_fields":["Source"],"sort":3)"), "malformed: sort is neither 1 (up) nor 2 (down)");
  EXPECT_EQ(message_query(R"("sort_fields":["Source"],"sort":"2")"), "malformed: sort is not a whole number");
  EXPECT_EQ(message_query(R"("sort":1)"), "meaningless: sort stands without sort_fields");
  EXPECT_EQ(message_query(R"("limit":1)"), "MessageTable 5..9 select Source limit 1");
  EXPECT_EQ(message_query(R"("limit":0)"), "malformed: limit 0 is less than 1");
  EXPECT_EQ(message_query(R"("limit":-5)"), "malformed: limit -5 is less than 1");
  for (const auto* bad : {"1.5", "\"5\"", "true", "[5]", "1e2", "99999999999999999999"}) {
    EXPECT_EQ(message_query(R"("limit":)" + std::string(bad)), "malformed: limit is not a whole number") << bad;
  }
}

TEST(AnalyticsQuery, Follow) {
  EXPECT_EQ(message_query(R"("follow":true,"limit":2)"), "MessageTable 5.. select Source limit 2 follow");
  EXPECT_EQ(message_query(R"("follow":false)"), "MessageTable 5..9 select Source");
  EXPECT_EQ(read(R"({"table":"MessageTable","start_time":"now","select_fields":["Source"],"follow":true})"),
            "MessageTable 1000000000.. select Source follow");
  EXPECT_EQ(message_query(R"("follow":1)"), "malformed: follow is neither true nor false");
  EXPECT_EQ(message_query(R"("follow":true,"sort_fields":["Source"])"),
            "meaningless: what is followed comes as it arrives: it cannot be sorted");
  EXPECT_EQ(message_query(R"("follow":true,"aggregate":["count"])"), "meaningless: what is followed cannot be counted");
  EXPECT_EQ(read(R"({"table":"MessageTable","start_time":5,"select_fields":["Source","id"],"follow":true})"),
            "meaningless: id cannot be asked for while messages are followed");
  EXPECT_EQ(message_query(R"("follow":true,"filter":[{"name":"id","op":2,)"
                          R"("value":"0f8fad5b-d9cb-469f-a165-70867728950e"}])"),
            "meaningless: id cannot be asked for while messages are followed");
  EXPECT_EQ(read_of("ObjectVNTable", R"(["ObjectId"])", R"("follow":true)"),
            "meaningless: messages can be followed, lists of values cannot");
  EXPECT_EQ(read_of("StatTable.FieldNames.fields", R"(["name"])", R"("follow":true)"),
            "meaningless: messages can be followed, lists of values cannot");
}

}  // namespace
}  // namespace varve::language::analytics
