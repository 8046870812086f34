// SPDX-License-Identifier: Apache-2.0
// One line a case: a body, the samples it gives, and what is wrong. Read by both ways, with groups unknown and known.
#include "protocol/opentsdb/put.h"

#include <gtest/gtest.h>

#include <random>

#include "protocol/opentsdb/fake_targets.h"
#include "protocol/testing/damage.h"

namespace varve::protocol::opentsdb {
namespace {

std::string parse(std::string_view body, FakeTargets& targets, Way way, TenantTag tag = TenantTag::names,
                  char padding = ' ') {
  const std::string bytes = std::string(body) + std::string(64, padding);
  targets.drop();
  const auto outcome = parse_put({bytes.data(), body.size()}, targets, tag, way);
  if (!outcome.malformed.empty()) return "! " + outcome.malformed;
  std::string text = targets.samples();
  for (const auto& error : outcome.errors) text += " ! " + std::to_string(error.index) + ": " + error.reason;
  EXPECT_EQ(outcome.failed, outcome.errors.size());
  return text;
}

std::string parsed(std::string_view body) {
  FakeTargets general;
  const std::string want = parse(body, general, Way::general);
  for (const bool keep_names : {true, false}) {
    FakeTargets targets;
    targets.keep_names = keep_names;
    for (const char padding : {' ', '1', '"', '}', ']'}) {
      EXPECT_EQ(parse(body, targets, Way::fast, TenantTag::names, padding), want) << body << " padded with " << padding;
      EXPECT_EQ(parse(body, targets, Way::general, TenantTag::names, padding), want)
          << body << " padded with " << padding;
    }
  }
  return want;
}

std::string value(const std::string& json) {
  return parsed(R"({"metric":"m","timestamp":1600000000,"value":)" + json + R"(,"tags":{"h":"a"}})");
}
std::string time(const std::string& json) {
  return parsed(R"({"metric":"m","timestamp":)" + json + R"(,"value":1,"tags":{"h":"a"}})");
}
std::string tags(const std::string& json) {
  return parsed(R"({"metric":"m","timestamp":1600000000,"value":1,"tags":)" + json + "}");
}

struct PutCase {
  const char* body;
  const char* want;
};

TEST(Put, Shapes) {
  const PutCase cases[] = {
      {R"({"metric":"m","timestamp":1600000000,"value":1,"tags":{"h":"a"}})", "m{h=a} 1600000000000 1"},
      {R"([{"metric":"m","timestamp":1600000000,"value":1,"tags":{"h":"a"}}])", "m{h=a} 1600000000000 1"},
      {"[]", ""},
      {"[\n\n]\n", ""},
      {" [ {\"tags\" : { \"h\" : \"a\" } , \"value\" : 1.5 , \"timestamp\" : 1600000000 , \"metric\" : \"m\" } ] ",
       "m{h=a} 1600000000000 1.5"},
      {R"({"metric":"m","timestamp":1600000000,"value":1,"tags":{"z":"1","a":"2"},"tenant":"x","extra":[{}]})",
       "m{a=2,z=1} 1600000000000 1"},
      {R"({"metric":"a\u00e9","timestamp":1600000000,"value":1,"tags":{"h":"\"q\""}})", "aé{h=\"q\"} 1600000000000 1"},
      {R"({"metric":17,"timestamp":1600000000,"value":1,"tags":{"h":7,"up":true}})", "17{h=7,up=true} 1600000000000 1"},
      {R"([{"metric":"a","timestamp":1600000000,"value":1,"tags":{"h":"a"}},{"metric":"b","timestamp":1600000001,"value":2,"tags":{"h":"a"}}])",
       "a{h=a} 1600000000000 1 | b{h=a} 1600000001000 2"},
      {R"([{"metric":"","timestamp":1600000000,"value":1,"tags":{"h":"a"}},{"metric":"b","timestamp":1600000001,"value":2,"tags":{"h":"a"}},{"metric":"c","timestamp":1600000000,"value":1,"tags":{}}])",
       "b{h=a} 1600000001000 2 ! 0: Metric name was empty ! 2: Missing tags"},
      {R"([1,null,"x",[2],{"metric":"b","timestamp":1600000001,"value":2,"tags":{"h":"a"}}])",
       "b{h=a} 1600000001000 2 ! 0: not an object ! 1: not an object ! 2: not an object ! 3: not an object"},
      {"{}", " ! 0: Metric name was empty"},
      {R"({"metric":null,"timestamp":1,"value":1,"tags":{"h":"a"}})", " ! 0: Metric name was empty"},
      {R"({"metric":{"x":1},"timestamp":1,"value":1,"tags":{"h":"a"}})", " ! 0: Metric name was empty"},
      {R"({"metric":"m","value":1,"tags":{"h":"a"}})", " ! 0: Invalid timestamp"},
      {R"({"metric":"m","timestamp":1,"tags":{"h":"a"}})", " ! 0: Empty value"},
      {R"({"metric":"m","timestamp":1,"value":1})", " ! 0: Missing tags"},
  };
  for (const auto& c : cases) EXPECT_EQ(parsed(c.body), c.want) << c.body;
}

TEST(Put, Values) {
  const PutCase cases[] = {
      {"1", "1"},
      {"-7", "-7"},
      {"12.0", "12.0"},
      {"0.0000000", "0.0"},
      {"\"12\"", "12"},
      {"\"12.5\"", "12.5"},
      {"\"+5\"", "5"},
      {"1e5", "1e+05"},
      {"\"1e5\"", "1e+05"},
      {"2.5e-3", "0.0025"},
      {"-0.0", "-0.0"},
      {"9223372036854775807", "9223372036854775807"},
      {"0.1234567890123456789", "0.12345678901234568"},
  };
  for (const auto& c : cases) EXPECT_EQ(value(c.body), std::string("m{h=a} 1600000000000 ") + c.want) << c.body;
  for (const char* bad :
       {"\"abc\"", "\"NaN\"", "\"inf\"", "true", "9223372036854775808", "1e999", "\"1e\"", "\"1 \"", "\"1.2.3\""}) {
    EXPECT_EQ(value(bad), " ! 0: Unable to parse value to a number") << bad;
  }
  for (const char* bad : {"\"\"", "null", "{}", "[1]"}) EXPECT_EQ(value(bad), " ! 0: Empty value") << bad;
}

TEST(Put, Times) {
  const PutCase cases[] = {
      {"1", "1000"},
      {"1600000000", "1600000000000"},
      {"4294967295", "4294967295000"},
      {"4294967296", "4294967296"},
      {"1600000000123", "1600000000123"},
      {"\"1600000000\"", "1600000000000"},
      {"1600000000.5", "1600000000500"},
      {"\"1600000000.123\"", "1600000000123"},
      {"9007199254740992", "9007199254740992"},
      {"\"2020-09-12T18:42:23.658447900Z\"", "1599936143658"},
      {"\"2020-09-12T19:42:23+01:00\"", "1599936143000"},
  };
  for (const auto& c : cases) EXPECT_EQ(time(c.body), "m{h=a} " + std::string(c.want) + " 1") << c.body;
  for (const char* bad : {"0", "-1", "\"\"", "\"today\"", "\"1h-ago\"", "\"2020-09-12\"", "\"1969-12-31T23:59:59Z\"",
                          "null", "true", "[]", "9007199254740993", "1e30", "99999999999999999999",
                          "-18446744073709551", "\"-18446744073709551\"", "-9223372036854775808"}) {
    EXPECT_EQ(time(bad), " ! 0: Invalid timestamp") << bad;
  }
}

TEST(Put, Tags) {
  EXPECT_EQ(tags("{}"), " ! 0: Missing tags");
  EXPECT_EQ(tags("null"), " ! 0: Missing tags");
  EXPECT_EQ(tags("[]"), " ! 0: tags must be an object");
  EXPECT_EQ(tags("7"), " ! 0: tags must be an object");
  EXPECT_EQ(tags(R"({"h":""})"), " ! 0: tag 'h' has an empty value");
  EXPECT_EQ(tags(R"({"":"a"})"), " ! 0: a tag has an empty name");
  EXPECT_EQ(tags(R"({"h":"a","h":"b"})"), " ! 0: tag 'h' stands twice");
  EXPECT_EQ(tags(R"({"h":null})"), " ! 0: the value of tag 'h' must be text");
  EXPECT_EQ(tags(R"({"h":{"x":1}})"), " ! 0: the value of tag 'h' must be text");
  EXPECT_EQ(tags("{\"h\":\"\xff\"}"), " ! 0: the metric and tags must be valid UTF-8");
  EXPECT_EQ(tags(R"({"h":"a b","k:1=x":"日本"})"), "m{h=a b,k:1=x=日本} 1600000000000 1");
}

// RFC 8259 to the letter, on both ways.
TEST(Put, OnlyJson) {
  const auto malformed = [](const std::string& body) { return parsed(body).starts_with("! "); };
  const std::string good = R"({"metric":"m","timestamp":1,"value":1,"tags":{"h":"a"})";  // open
  const auto with = [&](const std::string& field) { return "[" + good + "}," + good + "," + field + "}]"; };
  EXPECT_EQ(parsed(with(R"("x":[true,false,null,-1.5e+3,"\"\\\/\b\f\n\r\t\u00e9"])")), "m{h=a} 1000 1 | m{h=a} 1000 1");
  for (const char* bad :
       {R"("x":TRUE)", R"("x":Null)", R"("x":"\q")", R"("x":"\'")",     "\"x\":\"a\tb\"", "\"x\":\"\1\"",
        "\"x\n\":1",   R"("x":01)",   R"("x":1.)",   R"("x":.5)",       R"("x":+1)",      R"("x":1e)",
        R"("x":0x1)",  R"("x":NaN)",  R"("x":'a')",  R"(x:1)",          R"("x"=1)",       R"("x":[1;2])",
        R"("x":[1,])", R"("x":[,1])", R"("x":1,)",   R"("x":"\ud83d")", R"("\ud83d":1)",  R"("x":"\u12g4")",
        "\"x\":\f1",   "\"x\":1/**/", "\"x\":1//"}) {
    EXPECT_TRUE(malformed(with(bad))) << bad;
  }
  EXPECT_TRUE(malformed("\xef\xbb\xbf" + good + "}"));
  EXPECT_TRUE(malformed("{\"metric\":\"a\nb\",\"timestamp\":1,\"value\":1,\"tags\":{\"h\":\"a\"}}"));
  for (const char* number : {"01", "1.", "-", "-01", "1e+", "1.e1"}) {
    const std::string one = R"({"metric":"m","timestamp":1,"tags":{"h":"a"},"value":)" + std::string(number) + "}";
    EXPECT_TRUE(malformed("[" + good + "}," + one + "]")) << number;
  }
  EXPECT_EQ(parsed(with("\"x\":\"\xff\"")), "m{h=a} 1000 1 ! 1: the metric and tags must be valid UTF-8");
}

TEST(Put, Malformed) {
  EXPECT_EQ(parsed(""), "! End of input at line 1 column 1");
  EXPECT_EQ(parsed("["), "! End of input at line 1 column 2");
  EXPECT_EQ(parsed("[{}"), "! End of input at line 1 column 4");
  EXPECT_EQ(parsed("7"), "! Expected an array or object at line 1 column 2");
  EXPECT_EQ(parsed("hello"), "! Malformed JSON at line 1 column 1");
  EXPECT_EQ(parsed("[{'metric':1}]"), "! Malformed JSON at line 1 column 4");
  EXPECT_EQ(parsed("[{}{}]"), "! Unterminated array at line 1 column 5");
  EXPECT_EQ(parsed("[] x"), "! Unexpected text behind the JSON at line 1 column 4");
  EXPECT_EQ(parsed("{} {}"), "! Unexpected text behind the JSON at line 1 column 4");
  EXPECT_EQ(parsed("[{\"value\":NaN}]"), "! Malformed JSON at line 1 column 11");
  EXPECT_EQ(parsed(R"([{"metric":"m","timestamp":1600000000,"value":1,"tags":{"h":"a"}})"),
            "! End of input at line 1 column 66");
}

std::string point(std::string_view tags, int value = 1) {
  return R"({"metric":"m","timestamp":1,"value":)" + std::to_string(value) + R"(,"tags":{)" + std::string(tags) + "}}";
}

TEST(Put, TenantTagMovesThePoint) {
  EXPECT_EQ(parsed(point(R"("h":"a","tenant":"t1")")), "t1/m{h=a} 1000 1");
  EXPECT_EQ(parsed(point(R"("tenant":"t1")")), "t1/m{} 1000 1");
  EXPECT_EQ(parsed(point(R"("tenant":"default","h":"a")")), "m{h=a} 1000 1");
  EXPECT_EQ(parsed(point(R"("h":"a","ten\u0061nt":"t1")")), "t1/m{h=a} 1000 1");
  EXPECT_EQ(parsed(point(R"("role":"tenant")")), "m{role=tenant} 1000 1");
  EXPECT_EQ(parsed(point(R"("tenant":"no/such")")), " ! 0: not a tenant: 'no/such'");
  EXPECT_EQ(parsed(point(R"("tenant":"")")), " ! 0: tag 'tenant' has an empty value");
  EXPECT_EQ(parsed("[" + point(R"("h":"a","tenant":"t1")") + "," + point(R"("h":"a")", 2) + "," +
                   point(R"("h":"a","tenant":"t2")", 3) + "," + point(R"("h":"a","tenant":"t1")", 4) + "," +
                   point(R"("role":"tenant")", 5) + "]"),
            "m{h=a} 1000 2 | m{role=tenant} 1000 5 | t1/m{h=a} 1000 1 | t1/m{h=a} 1000 4 | t2/m{h=a} 1000 3");
}

// The same bytes in requests of different tenants: known in one, they must not be taken for the other's.
TEST(Put, KeysOfOneTenantAreNotAnothers) {
  FakeTargets targets;
  const auto tagged = point(R"("h":"a","tenant":"t1")");
  const auto plain = point(R"("role":"tenant")");
  EXPECT_EQ(parse(tagged, targets, Way::fast), "t1/m{h=a} 1000 1");
  targets.own = "t1";
  EXPECT_EQ(parse("[" + tagged + "," + plain + "]", targets, Way::fast), "m{h=a} 1000 1 | m{role=tenant} 1000 1");
  targets.own = "t2";
  EXPECT_EQ(parse("[" + tagged + "," + plain + "]", targets, Way::fast), "t1/m{h=a} 1000 1 | m{role=tenant} 1000 1");
  // Named by the request: the tag is taken out and has no say; that must not stick to the bytes.
  EXPECT_EQ(parse(tagged, targets, Way::fast, TenantTag::ignored), "m{h=a} 1000 1");
  EXPECT_EQ(parse(tagged, targets, Way::fast, TenantTag::ignored), "m{h=a} 1000 1");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(parse(tagged, targets, Way::fast, TenantTag::plain), "m{h=a,tenant=t1} 1000 1");
    EXPECT_EQ(parse(tagged, targets, Way::fast, TenantTag::names), "t1/m{h=a} 1000 1");
  }
  EXPECT_EQ(parse(tagged, targets, Way::fast), "t1/m{h=a} 1000 1");
  targets.own = "";
  EXPECT_EQ(parse("[" + tagged + "," + plain + "]", targets, Way::fast), "t1/m{h=a} 1000 1 ! 1: no tenant");
}

TEST(Put, TheStoreMaySayNo) {
  FakeTargets targets;
  targets.groups_max = 1;
  const std::string body =
      "[" + point(R"("h":"a")") + "," + point(R"("h":"b")") + "," + point(R"("h":"a")", 2) + "]" + std::string(64, ' ');
  const auto outcome = parse_put({body.data(), body.size() - 64}, targets, TenantTag::names);
  EXPECT_EQ(outcome.success, 2U);
  EXPECT_EQ(outcome.code, Code::limit);
  EXPECT_EQ(targets.samples(), "m{h=a} 1000 1 | m{h=a} 1000 2");
}

TEST(Put, KnownGroupsAreFoundWithoutParsing) {
  std::string body = "[";
  for (int i = 0; i < 50; ++i) body += (i > 0 ? "," : "") + point("\"host\":\"h" + std::to_string(i) + "\"");
  body += "]";
  FakeTargets targets;
  const auto first = parse(body, targets, Way::fast);
  const auto finds = targets.finds();
  EXPECT_EQ(parse(body, targets, Way::fast), first);
  EXPECT_EQ(targets.defines(), 50U);
  EXPECT_EQ(targets.finds(), finds + 1);
  EXPECT_EQ(targets.asked, 2U);
}

TEST(Put, Renders) {
  FakeTargets targets;
  const std::string bad = R"({"metric":"","timestamp":1})";
  const std::string body = "[" + point(R"("h":"a")") + ", " + bad + "]" + std::string(64, ' ');
  const auto outcome = parse_put({body.data(), body.size() - 64}, targets, TenantTag::names);
  EXPECT_EQ(render_put(outcome, false), R"({"success":1,"failed":1})");
  EXPECT_EQ(render_put(outcome, true),
            R"({"success":1,"failed":1,"errors":[{"datapoint":)" + bad + R"(,"error":"Metric name was empty"}]})");
  EXPECT_EQ(render_put({}, true), R"({"success":0,"failed":0,"errors":[]})");
  EXPECT_EQ(render_put_error(400, "One \"or\" more", "see"),
            R"({"error":{"code":400,"message":"One \"or\" more","details":"see"}})");
  PutOutcome dirty;
  dirty.errors.push_back({0, "bad", "{\"\xff\"}"});
  EXPECT_EQ(render_put(dirty, true),
            "{\"success\":0,\"failed\":0,\"errors\":[{\"datapoint\":\"{\\\"\xef\xbf\xbd\\\"}\",\"error\":\"bad\"}]}");
}

TEST(Put, ErrorsAreBounded) {
  std::string body = "[{}";
  for (std::size_t i = 0; i < kPutErrorsMax + 10; ++i) body += ",{}";
  body += "]" + std::string(64, ' ');
  FakeTargets targets;
  const auto outcome = parse_put({body.data(), body.size() - 64}, targets, TenantTag::names);
  EXPECT_EQ(outcome.failed, kPutErrorsMax + 11);
  EXPECT_EQ(outcome.errors.size(), kPutErrorsMax);
}

TEST(Put, BothWaysAgreeOnDamage) {
  const std::string whole = "[" + point(R"("host":"a","dc":"x")") + "," + point(R"("host":"b","tenant":"t1")") + "," +
                            R"({"metric":"n","timestamp":"1600000000","value":"-2.5e3","tags":{"host":"\u0061"}})" +
                            "]";
  std::mt19937 random(5);
  for (int i = 0; i < 4000; ++i) parsed(testing::damaged(whole, random));
}

}  // namespace
}  // namespace varve::protocol::opentsdb
