// SPDX-License-Identifier: Apache-2.0
// One line a case: a body, and the samples or errors it gives. Every case is read by both ways, twice (groups unknown,
// then known), with groups that keep their names and with groups that do not.
#include "protocol/kairosdb/datapoints.h"

#include <gtest/gtest.h>

#include <random>

#include "protocol/kairosdb/datapoints_text.h"
#include "protocol/testing/damage.h"

namespace varve::protocol::kairosdb {
namespace {

TEST(Datapoints, Shapes) {
  const Case cases[] = {
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"}})", "m{h=a} 5 1"},
      {R"([{"name":"m","timestamp":5,"value":1,"tags":{"h":"a"}}])", "m{h=a} 5 1"},
      {R"([])", ""},
      {R"( [ ] )", ""},
      {R"([{"name":"m","tags":{"h":"a"}}])", ""},
      {R"({"name":"m","datapoints":[],"tags":{"h":"a"}})", ""},
      {R"({"name":"m","datapoints":null,"tags":{"h":"a"}})", ""},
      {R"({"name":"m","datapoints":[[1,2],[3,4.5]],"tags":{"h":"a"}})", "m{h=a} 1 2 | m{h=a} 3 4.5"},
      {R"({"name":"m","timestamp":9,"value":8,"datapoints":[[1,2]],"tags":{"h":"a"}})", "m{h=a} 9 8 | m{h=a} 1 2"},
      {R"({"name":"m","time":5,"value":1,"tags":{"h":"a"}})", "m{h=a} 5 1"},
      {R"({"name":"m","time":5,"timestamp":6,"value":1,"tags":{"h":"a"}})", "m{h=a} 5 1"},
      {R"({"tags":{"z":"1","a":"2"},"value":1,"timestamp":5,"name":"m"})", "m{a=2,z=1} 5 1"},
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"},"ttl":300})", "m{h=a}~300 5 1"},
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"},"ttl":"300"})", "m{h=a}~300 5 1"},
      {R"({"ttl":300,"name":"m","timestamp":5,"value":1,"tags":{"h":"a"}})", "m{h=a}~300 5 1"},
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"},"ttl":0})", "m{h=a} 5 1"},
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"},"ttl":null})", "m{h=a} 5 1"},
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"},"ttl":99999999999})", "m{h=a}~2147483647 5 1"},
      {R"([{"name":"m","timestamp":5,"value":1,"tags":{"h":"a"}},{"name":"m","datapoints":[[6,1]],"tags":{"h":"a"},"ttl":60},{"name":"m","timestamp":7,"value":1,"tags":{"h":"a"},"ttl":61}])",
       "m{h=a} 5 1 | m{h=a}~60 6 1 | m{h=a}~61 7 1"},
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"},"ttl":-1})", "m{h=a} 5 1"},
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"},"bogus":{"x":[1,{"y":"}"}]}})", "m{h=a} 5 1"},
      {"\n[\n {\"name\" : \"m\" ,\t\"timestamp\" : 5 , \"value\" : 1 , \"tags\" : { \"h\" : \"a\" } } \n]\n",
       "m{h=a} 5 1"},
      {"{\"name\":\"m\",\"datapoints\":[ [ 1 , 2 ] , [ 3 , 4 ] ],\"tags\":{\"h\":\"a\"}}", "m{h=a} 1 2 | m{h=a} 3 4"},
      {"\xef\xbb\xbf[{\"name\":\"m\",\"timestamp\":5,\"value\":1,\"tags\":{\"h\":\"a\"}}]", "m{h=a} 5 1"},
      {R"({"name":17,"timestamp":5,"value":1,"tags":{"h":7,"up":TRUE}})", "17{h=7,up=true} 5 1"},
      {R"({"name":"a\"b\\c\u00e9\ud83d\ude00","timestamp":5,"value":1,"tags":{"k:1=x":"\/\n"}})",
       "a\"b\\cé😀{k:1=x=/\n} 5 1"},
      {R"({"name":"m","timestamp":5,"value":1,"skip_validate":true})", "m{} 5 1"},
      {R"({"name":"x","name":"m","timestamp":5,"value":1,"tags":{"h":"a"}})", "m{h=a} 5 1"},
      {R"({"name":"m","timestamp":5,"value":1,"tags":{"h":"a"}} trailing)", "m{h=a} 5 1"},
      {R"([{"name":"m","timestamp":5,"value":1,"tags":{"h":"a"}}] trailing)", "m{h=a} 5 1"},
  };
  for (const auto& c : cases) EXPECT_EQ(parsed(c.body), c.want) << c.body;
}

TEST(Datapoints, Values) {
  const Case cases[] = {
      {"1", "1"},
      {"-1", "-1"},
      {"0", "0"},
      {"-0", "0"},
      {"12.0", "12.0"},
      {"0.5", "0.5"},
      {"-0.0", "-0.0"},
      {"-0.25", "-0.25"},
      {"123456789012345678", "123456789012345678"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "-9223372036854775808"},  // as KairosDB: wraps
      {"18446744073709551617", "1"},
      {"1e5", "100000"},
      {"5e-1", "0"},
      {"-25e-1", "-2"},
      {"1E+2", "100"},
      {"1.5e3", "1500.0"},
      {"1.5e-07", "1.5e-07"},
      {"1.0e300", "1e+300"},
      {"0.1", "0.1"},
      {"0.1000000000000000055511151231257827", "0.1"},
      {"3.141592653589793", "3.141592653589793"},
      {"9007199254740993.0", "9007199254740992.0"},
      {"4.9e-324", "5e-324"},
      {"1.0e-400", "0.0"},
      {"123456.123456789012345", "123456.123456789"},
      {"1.5", "1.5"},
      {"12345.7", "12345.7"},
      {"12345.75", "12345.75"},
      {"0.0", "0.0"},
      {"-0.001", "-0.001"},
      {"00.5", "0.5"},
      {"1.5e", "\"1.5e\""},
      {"-1.5", "-1.5"},
      {"-", "\"-\""},
      {"99999999999999999999999999999999999999.5", "1e+38"},
      {"\"3.55\"", "3.55"},
      {"\"102\"", "102"},
      {"\"+102\"", "102"},
      {"\"-102\"", "-102"},
      {"\"-.5\"", "-0.5"},
      {"\"3.\"", "\"3.\""},
      {"\"10-2\"", "\"10-2\""},
      {"\"s123\"", "\"s123\""},
      {"\"6.0.5\"", "\"6.0.5\""},
      {"\"3.5A5\"", "\"3.5A5\""},
      {"\"NaN\"", "\"NaN\""},
      {"NaN", "\"NaN\""},
      {"\"+\"", "\"+\""},
      {"\".\"", "\".\""},
      {"true", "\"true\""},
      {"\"hello world\"", "\"hello world\""},
      {"hello", "\"hello\""},
      {"007", "7"},
      {"1.", "\"1.\""},
      {".5", "0.5"},
      {"\"1e5\"", "\"1e5\""},
      {"\"\\u00e9\"", "\"é\""},
  };
  for (const auto& c : cases) EXPECT_EQ(value(c.body), std::string("m{h=a} 1 ") + c.want) << c.body;
}

TEST(Datapoints, Types) {
  const Case cases[] = {
      {R"("type":"double","timestamp":1,"value":3)", "m{h=a} 1 3.0"},
      {R"("timestamp":1,"value":3,"type":"double")", "m{h=a} 1 3.0"},
      {R"("type":"long","timestamp":1,"value":3.9)", "m{h=a} 1 3"},
      {R"("type":"long","timestamp":1,"value":3)", "m{h=a} 1 3"},
      {R"("type":"double","timestamp":1,"value":2.5)", "m{h=a} 1 2.5"},
      {R"("type":"long","timestamp":1,"value":-3.9e1)", "m{h=a} 1 -39"},
      {R"("type":"string","timestamp":1,"value":"12")", "m{h=a} 1 \"12\""},
      {R"("type":"string","timestamp":1,"value":12)", "m{h=a} 1 \"12\""},
      {R"("type":null,"timestamp":1,"value":12)", "m{h=a} 1 12"},
      {R"("datapoints":[[1,2],[3,4]],"type":"double")", "m{h=a} 1 2.0 | m{h=a} 3 4.0"},
      {R"("datapoints":[[1,1,"double"],[2,"2","long"],[3,"2","string"],[4,3.7,"long"]])",
       "m{h=a} 1 1.0 | m{h=a} 2 2 | m{h=a} 3 \"2\" | m{h=a} 4 3"},
      {R"("type":"bogus","timestamp":1,"value":1)", "! Unregistered data point type 'bogus'"},
      {R"("type":"other","timestamp":1,"value":{"real":1,"imaginary":2})", "! Unregistered data point type 'other'"},
      {R"("datapoints":[[1,{"real":1,"imaginary":2}]])", "! metric[0](name=m) value is an invalid type"},
      {R"("datapoints":[[1,2,"null"]])", "! Unregistered data point type 'null'"},
      {R"("type":"double","timestamp":1,"value":"abc")",
       "! java.lang.NumberFormatException: For input string: \"abc\""},
      {R"("type":"double","timestamp":1,"value":"NaN")",
       "! java.lang.NumberFormatException: For input string: \"NaN\""},
      {R"("type":"double","timestamp":1,"value":"inf")",
       "! java.lang.NumberFormatException: For input string: \"inf\""},
      {R"("type":"long","timestamp":1,"value":"3.7")", "! java.lang.NumberFormatException: For input string: \"3.7\""},
      {R"("type":"long","timestamp":1,"value":true)", "! java.lang.NumberFormatException: For input string: \"true\""},
      {R"("timestamp":1,"value":"9223372036854775808")",
       "! java.lang.NumberFormatException: For input string: \"9223372036854775808\""},
      {R"("timestamp":1,"value":".5.5")", "! java.lang.NumberFormatException: For input string: \".5.5\""},
      {R"("timestamp":1,"value":1.0e999)", "! metric[0](name=m).value is too large for a double."},
      {R"("datapoints":[[1,-1.0e999]])", "! metric[0](name=m).datapoints[0].value is too large for a double."},
      {R"("timestamp":1,"value":"","type":"string")", "! metric[0](name=m).value may not be empty."},
  };
  for (const auto& c : cases) EXPECT_EQ(of_m(c.body), c.want) << c.body;
}

TEST(Datapoints, Times) {
  const Case cases[] = {
      {R"("timestamp":"1700000000000","value":1)", "m{h=a} 1700000000000 1"},
      {R"("timestamp":1700000000000.0,"value":1)", "m{h=a} 1700000000000 1"},
      {R"("timestamp":17e11,"value":1)", "m{h=a} 1700000000000 1"},
      {R"("timestamp":-1000,"value":1)", "m{h=a} -1000 1"},
      {R"("timestamp":0,"value":1)", "m{h=a} 0 1"},
      {R"("timestamp":9007199254740992,"value":1)", "m{h=a} 9007199254740992 1"},
      {R"("timestamp":-9007199254740992,"value":1)", "m{h=a} -9007199254740992 1"},
      {R"("timestamp":9007199254740993,"value":1)",
       "! metric[0](name=m).timestamp must be between -9007199254740992 and 9007199254740992."},
      {R"("datapoints":[[9007199254740993,1]])",
       "! metric[0](name=m).datapoints[0].timestamp must be between -9007199254740992 and 9007199254740992."},
      {R"("datapoints":[[18446744073709551617,1]])",
       "! metric[0](name=m).datapoints[0].timestamp must be between -9007199254740992 and 9007199254740992."},
      {R"("timestamp":"today","value":1)", "! java.lang.NumberFormatException: For input string: \"today\""},
      {R"("timestamp":5.5,"value":1)",
       "! java.lang.NumberFormatException: Expected a long but was 5.5 at line 1 column 45"},
      {R"("timestamp":0170000000000,"value":1)", "m{h=a} 170000000000 1"},
      {R"("timestamp":1700000000000.5,"value":1)",
       "! java.lang.NumberFormatException: Expected a long but was 1700000000000.5 at line 1 column 57"},
      {R"("timestamp":1700000000000e-3,"value":1)", "m{h=a} 1700000000 1"},
      {R"("timestamp":true,"value":1)",
       "! java.lang.IllegalStateException: Expected a long but was BOOLEAN at line 1 column 46"},
      {R"("datapoints":[[5.9,1],["7",1],[1e3,1]])", "m{h=a} 5 1 | m{h=a} 7 1 | m{h=a} 1000 1"},
      {R"("datapoints":[["x",1]])", "! java.lang.NumberFormatException: For input string: \"x\""},
      {R"("ttl":"x")", "! java.lang.NumberFormatException: For input string: \"x\""},
  };
  for (const auto& c : cases) EXPECT_EQ(of_m(c.body), c.want) << c.body;
}

TEST(Datapoints, Validation) {
  const Case cases[] = {
      {"{}", "! metric[0].name may not be null. | metric[0].tags count must be greater than or equal to 1."},
      {R"({"timestamp":1,"value":1,"tags":{"h":"a"}})", "! metric[0].name may not be null."},
      {R"({"name":"","timestamp":1,"value":1,"tags":{"h":"a"}})", "! metric[0].name may not be empty."},
      {R"({"name":null,"timestamp":1,"value":1,"tags":{"h":"a"}})", "! metric[0].name may not be null."},
      {R"({"name":"m","timestamp":1,"value":1})", "! metric[0](name=m).tags count must be greater than or equal to 1."},
      {R"({"name":"m","timestamp":1,"value":1,"tags":{}})",
       "! metric[0](name=m).tags count must be greater than or equal to 1."},
      {R"({"name":"m","timestamp":1,"value":1,"tags":null})",
       "! metric[0](name=m).tags count must be greater than or equal to 1."},
      {R"({"name":"m","timestamp":1,"value":1,"tags":{"h":""}})", "! metric[0](name=m).tag[h].value may not be empty."},
      {R"({"name":"m","timestamp":1,"value":1,"tags":{"h":null}})",
       "! metric[0](name=m).tag[h].value may not be null."},
      {R"({"name":"m","timestamp":1,"value":1,"tags":{"":"a"}})", "! metric[0](name=m).tag[0].name may not be empty."},
      {R"({"name":"m","timestamp":1,"value":1,"tags":{"h":"a","h":"b"}})", "! duplicate key: h"},
      {R"({"name":"m","timestamp":1,"tags":{"h":"a"}})", "! metric[0](name=m).value may not be null."},
      {R"({"name":"m","timestamp":1,"value":null,"tags":{"h":"a"}})", "! metric[0](name=m).value may not be empty."},
      {R"({"name":"m","timestamp":1,"value":"","tags":{"h":"a"}})", "! metric[0](name=m).value may not be empty."},
      {R"({"name":"m","timestamp":1,"value":{"a":1},"tags":{"h":"a"}})",
       "! metric[0](name=m) value is an invalid type"},
      {R"({"name":"m","value":1,"tags":{"h":"a"}})", "! metric[0](name=m).timestamp may not be null."},
      {R"({"name":"m","timestamp":null,"value":1,"tags":{"h":"a"}})", "! metric[0](name=m).timestamp may not be null."},
      {R"([{"name":"m","timestamp":1,"value":1,"tags":{"h":"a"}},{"name":"","timestamp":1,"value":1,"tags":{"h":"a"}},{"name":"n","timestamp":1,"value":1,"tags":{}}])",
       "! metric[1].name may not be empty. | metric[2](name=n).tags count must be greater than or equal to 1."},
      {R"({"name":["m"],"tags":{"h":"a"}})",
       "! java.lang.IllegalStateException: Expected a string but was BEGIN_ARRAY at line 1 column 10"},
      {R"({"name":"m","tags":["h"]})",
       "! java.lang.IllegalStateException: Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1 column 21"},
      {"{\"name\":\"\xff\",\"timestamp\":1,\"value\":1,\"tags\":{\"h\":\"a\"}}",
       "! metric[0](name=\xff): the name and tags must be valid UTF-8."},
      {"{\"name\":\"m\",\"timestamp\":1,\"value\":\"\xff\",\"tags\":{\"h\":\"a\"}}",
       "! metric[0](name=m).value is not valid UTF-8."},
      {R"([1])", "! java.lang.IllegalStateException: Expected BEGIN_OBJECT but was NUMBER at line 1 column 3"},
      {R"([-0])", "! java.lang.IllegalStateException: Expected BEGIN_OBJECT but was NUMBER at line 1 column 4"},
      {R"([1.5])", "! java.lang.IllegalStateException: Expected BEGIN_OBJECT but was NUMBER at line 1 column 2"},
      {R"([99999999999999999999])",
       "! java.lang.IllegalStateException: Expected BEGIN_OBJECT but was NUMBER at line 1 column 2"},
      {R"({"timestamp":"NaN"})", "! java.lang.NumberFormatException: Expected a long but was NaN at line 1 column 19"},
      {R"({"ttl":"-Infinity"})",
       "! java.lang.NumberFormatException: Expected an int but was -Infinity at line 1 column 19"},
      {R"({"timestamp":" "})", "! java.lang.NumberFormatException: empty String"},
      {R"([null])", "! java.lang.IllegalStateException: Expected BEGIN_OBJECT but was NULL at line 1 column 6"},
  };
  for (const auto& c : cases) EXPECT_EQ(parsed(c.body), c.want) << c.body;
  EXPECT_EQ(points("[[]]"), "! metric[0](name=m).datapoints[0].timestamp cannot be null or empty.");
  EXPECT_EQ(points("[[5]]"), "! metric[0](name=m).datapoints[0].value cannot be null or empty.");
  EXPECT_EQ(points("[null]"), "! metric[0](name=m).datapoints[0].timestamp cannot be null or empty.");
  EXPECT_EQ(points("[[1,2],[null,1]]"), "! metric[0](name=m).datapoints[1].timestamp may not be null.");
  EXPECT_EQ(points("[[1,null]]"), "! metric[0](name=m).datapoints[0].value may not be empty.");
  EXPECT_EQ(points("[[1,[2]]]"), "! metric[0](name=m) value is an invalid type");
  EXPECT_EQ(points("[1,2]"),
            "! java.lang.IllegalStateException: Expected BEGIN_ARRAY but was NUMBER at line 1 column 45");
  EXPECT_EQ(points("7"), "! java.lang.IllegalStateException: Expected BEGIN_ARRAY but was NUMBER at line 1 column 44");
  EXPECT_EQ(points("[[1,2,3,4,5]]"), "! Unregistered data point type '3'");
}

TEST(Datapoints, Syntax) {
  const std::string lenient = "! Use JsonReader.setLenient(true) to accept malformed JSON at line 1 column ";
  const std::string end = "! Invalid json. No content due to end of input.";
  EXPECT_EQ(parsed(""), end);
  EXPECT_EQ(parsed("  \n"), end);
  EXPECT_EQ(parsed("["), end);
  EXPECT_EQ(parsed("null"), lenient + "1");
  EXPECT_EQ(parsed("7"), lenient + "1");
  EXPECT_EQ(parsed("hello"), lenient + "1");
  EXPECT_EQ(parsed("\"x\""), lenient + "2");
  const std::string m = R"({"name":"m","timestamp":1,"value":1,"tags":{"h":"a"}})";
  EXPECT_EQ(parsed("[" + m), end);
  EXPECT_EQ(parsed("[" + m + ","), end);
  EXPECT_EQ(parsed("[" + m + ",]"), lenient + "57");
  EXPECT_EQ(parsed("[" + m + ";" + m + "]"), lenient + "56");
  for (const char* half : {R"({"name":"m\ud83d","timestamp":1,"value":1,"tags":{"h":"a"}})",
                           R"({"name":"m","timestamp":1,"value":1,"tags":{"h\ud83d":"a"}})",
                           R"({"name":"m","timestamp":1,"value":1,"tags":{"h":"\ude00"}})"}) {
    EXPECT_TRUE(parsed(half).contains("Half of a surrogate pair")) << parsed(half);
  }
  EXPECT_EQ(parsed("[" + m + " x"), "! Unterminated array at line 1 column 57");
  EXPECT_EQ(parsed("[" + m + ",{\"name\""), "! java.io.EOFException: End of input at line 1 column 63");
  EXPECT_EQ(parsed(R"([{"name":"o.p.bj","timestamp":1700000000000,"value":1,"tags":{"host":"a"}},{"name")"),
            "! java.io.EOFException: End of input at line 1 column 83");
  EXPECT_EQ(parsed("{\"name\":\"m"),
            "! com.google.gson.stream.MalformedJsonException: Unterminated string at line 1 column 11");
  EXPECT_EQ(parsed("{\"name\":\"m\",}"),
            "! com.google.gson.stream.MalformedJsonException: Expected name at line 1 column 14");
  EXPECT_EQ(parsed("{\"name\"\n \"m\"}"),
            "! com.google.gson.stream.MalformedJsonException: Expected ':' at line 2 column 3");
  EXPECT_EQ(parsed("{\"name\":,"),
            "! com.google.gson.stream.MalformedJsonException: Unexpected value at line 1 column 10");
  EXPECT_EQ(parsed("{,"), "! com.google.gson.stream.MalformedJsonException: Expected name at line 1 column 2");
  EXPECT_EQ(parsed("{\"a\":1,,"), "! com.google.gson.stream.MalformedJsonException: Expected name at line 1 column 8");
  EXPECT_EQ(parsed("[,"), lenient + "3");
  EXPECT_EQ(parsed("[" + m + ",;"), lenient + "57");
  EXPECT_EQ(parsed("]"), "! Unexpected value at line 1 column 2");
  // Nothing else is said then.
  EXPECT_EQ(parsed("[{},7"),
            "! java.lang.IllegalStateException: Expected BEGIN_OBJECT but was NUMBER at line 1 column 6");
  EXPECT_EQ(parsed("{\"name\":\"m\" \"t\"}"),
            "! com.google.gson.stream.MalformedJsonException: Unterminated object at line 1 column 14");
  EXPECT_EQ(parsed("{\"x\":\"\\u12g4\"}"), "! java.lang.NumberFormatException: \\u12g4");
  EXPECT_EQ(parsed("{/* x"),
            "! com.google.gson.stream.MalformedJsonException: Unterminated comment at line 1 column 6");
  EXPECT_EQ(parsed("{\"x\":" + std::string(300, '[')),
            "! com.google.gson.stream.MalformedJsonException: Nested too deeply at line 1 column 263");
  EXPECT_EQ(parsed("{\"name\":\"m\",\"datapoints\":[[1,2"), "! java.io.EOFException: End of input at line 1 column 31");
}

TEST(Datapoints, LenientInsideAMetric) {
  const Case cases[] = {
      {"{name: 'm', timestamp: 5, value: 1, tags: {h: 'a'}}", "m{h=a} 5 1"},
      {"{name=m;timestamp=>5;value=1;tags={h=a}}", "m{h=a} 5 1"},
      {"{name:m,/* c */timestamp:5,// d\nvalue:1,# e\ntags:{h:a}}", "m{h=a} 5 1"},
      {"{'name':'it\\'s','timestamp':5,'value':'x','tags':{'h':'a'}}", "it's{h=a} 5 \"x\""},
      {"{name:m,datapoints:[[5;1],['6',2]],tags:{h:a}}", "m{h=a} 5 1 | m{h=a} 6 2"},
      {"{name:m,datapoints:[[5,1],],tags:{h:a}}",
       "! metric[0](name=m).datapoints[1].timestamp cannot be null or empty."},
      {"{name:17,timestamp:5,value:1,tags:{h:1.50}}", "17{h=1.50} 5 1"},
  };
  for (const auto& c : cases) EXPECT_EQ(parsed(c.body), c.want) << c.body;
}

// The bytes of the unquoted name 17 must not be taken for the beginning of 178, nor "a" for another "a".
TEST(Datapoints, KeysEndWhereValuesEnd) {
  testing::FakeGroups groups;
  EXPECT_EQ(parse(R"([{"name":17,"timestamp":5,"value":1,"tags":{"h":"a"}}])", groups, Way::fast), "17{h=a} 5 1");
  EXPECT_EQ(parse(R"([{"name":178,"timestamp":5,"value":1,"tags":{"h":"a"}}])", groups, Way::fast), "178{h=a} 5 1");
  EXPECT_EQ(parse(R"([{"name":"17","timestamp":5,"value":1,"tags":{"h":"a"}}])", groups, Way::fast), "17{h=a} 5 1");
}

TEST(Datapoints, KnownGroupsAreFoundWithoutParsing) {
  std::string body = "[";
  for (int i = 0; i < 100; ++i) {
    body += (i > 0 ? "," : "") + std::string(R"({"name":"cpu","datapoints":[[1700000000000,1.5],[1700000001000,2]],)") +
            R"("tags":{"host":"h)" + std::to_string(i) + R"(","dc":"x"}})";
  }
  body += "]";
  for (const bool keep_names : {true, false}) {
    testing::FakeGroups groups;
    groups.keep_names = keep_names;
    const auto first = parse(body, groups, Way::fast);
    EXPECT_EQ(groups.defines, 100);
    groups.finds = 0;
    EXPECT_EQ(parse(body, groups, Way::fast), first);
    EXPECT_EQ(groups.defines, 100);
    EXPECT_EQ(groups.finds, 1);  // the first; each names the next
  }
}

TEST(Datapoints, TheStoreMaySayNo) {
  const std::string body = padded(
      R"([{"name":"m","timestamp":1,"value":1,"tags":{"h":"a"}},{"name":"n","timestamp":1,"value":1,"tags":{"h":"a"}}])");
  testing::FakeGroups groups;
  groups.groups_max = 1;
  model::RowBatch batch;
  const auto rejection = parse_datapoints({body.data(), body.size() - 64}, groups, batch);
  EXPECT_EQ(rejection.code, Code::limit);
  EXPECT_EQ(joined(rejection.errors), "too many groups");
  groups.groups_max = 100;
  groups.limits.metric_bytes_max = 2;
  EXPECT_EQ(parse(R"({"name":"long","timestamp":1,"value":1,"tags":{"h":"a"}})", groups, Way::fast),
            "! metric[0](name=long): the metric name has 4 bytes; at most 2");
}

TEST(Datapoints, ARefusedBodyDefinesNothing) {
  const std::string good = R"({"name":"m","timestamp":1,"value":1,"tags":{"h":"a"}})";
  const std::string known = R"({"name":"known","timestamp":1,"value":1,"tags":{"h":"a"}})";
  for (const Way way : {Way::fast, Way::general}) {
    testing::FakeGroups groups;
    groups.limits.metric_bytes_max = 5;
    parse("[" + known + "]", groups, way);
    EXPECT_EQ(groups.defines, 1);
    for (const std::string bad :
         {R"({})", R"({"name":"n","timestamp":1,"value":1,"tags":{}})",
          R"({"name":"n","tags":{"h":"a"},"datapoints":[[1,null]]})",
          R"({"name":"n","timestamp":1,"value":"x","type":"odd","tags":{"h":"a"}})",
          R"({"name":"too long","timestamp":1,"value":1,"tags":{"h":"a"}})", R"({"name":"n",)", R"(17)"}) {
      for (const std::string& body :
           {"[" + good + "," + bad + "]", "[" + known + "," + good + "," + bad + "," + known + "]",
            "[" + bad + "," + good + "]"}) {
        EXPECT_TRUE(parse(body, groups, way).starts_with("!")) << body;
        EXPECT_EQ(groups.defines, 1) << body;
      }
    }
    EXPECT_EQ(parse("[" + known + "," + good + "," + known + "," + good + "]", groups, way),
              "known{h=a} 1 1 | m{h=a} 1 1 | known{h=a} 1 1 | m{h=a} 1 1");
    EXPECT_EQ(groups.defines, 2);
  }
}

TEST(Datapoints, ErrorsAreBounded) {
  std::string body = "[{}";
  for (int i = 0; i < 5000; ++i) body += ",{}";
  body = padded(body + "]");
  testing::FakeGroups groups;
  model::RowBatch batch;
  const auto rejection = parse_datapoints({body.data(), body.size() - 64}, groups, batch);
  EXPECT_EQ(rejection.errors.size(), kErrorsMax);
}

TEST(Datapoints, RendersErrors) {
  const std::string errors[] = {"a \"b\"", "\xff\n"};
  EXPECT_EQ(render_errors(errors), "{\"errors\":[\"a \\\"b\\\"\",\"\xef\xbf\xbd\\u000a\"]}");
  EXPECT_EQ(render_errors({}), "{\"errors\":[]}");
}

// Every decimal text must give the double that the compiler would read.
TEST(Datapoints, DoublesAreExact) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3000; ++i) {
    char text[64];
    const double scale[] = {1e-5, 1, 1e3, 1e9, 1e15, 1e17};
    const double v = (static_cast<double>(random() >> 11) / 0x1p53 - 0.5) * scale[random() % 6];
    std::snprintf(text, sizeof text, "%.*f", static_cast<int>(1 + random() % 20), v);
    EXPECT_EQ(value(text),
              "m{h=a} 1 " + testing::FakeGroups::print(model::Value::of_double(std::strtod(text, nullptr))))
        << text;
  }
}

// Both ways agree on bodies with bytes changed, cut and doubled.
TEST(Datapoints, BothWaysAgreeOnDamage) {
  const std::string whole =
      R"([{"name":"cpu","timestamp":1700000000000,"value":12.5,"tags":{"host":"a","dc":"x"}},)"
      R"({"name":"mem","datapoints":[[1700000000000,10],[1700000001000,-2.5e3]],"type":"double","tags":{"host":"\u0061"},"ttl":30}])";
  std::mt19937 random(11);
  for (int i = 0; i < 4000; ++i) parsed(testing::damaged(whole, random));
}

}  // namespace
}  // namespace varve::protocol::kairosdb
