// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/ndjson.h"

#include <gtest/gtest.h>

#include "protocol/messages/messages_text.h"

namespace varve::protocol::messages {
namespace {

constexpr std::int64_t kNow = 7;

Options at_now() {
  Options options;
  options.now_us = kNow;
  return options;
}

// What the body gives; fails if the way or what stands behind the body matters.
std::string read(std::string_view body, const Options& options = at_now()) {
  const std::string want = parsed(body, options, Way::general, ' ');
  for (const char padding : {' ', '1', '"', '}', ']', ',', '\\', '\n', '\0'}) {
    EXPECT_EQ(parsed(body, options, Way::fast, padding), want) << body << " padded with " << padding;
    EXPECT_EQ(parsed(body, options, Way::general, padding), want) << body << " padded with " << padding;
  }
  return want;
}

struct Case {
  const char* body;
  const char* want;
};
using Cases = std::initializer_list<Case>;

void expect(Cases cases) {
  for (const auto& [body, want] : cases) EXPECT_EQ(read(body), want) << body;
}

TEST(Messages, Columns) {
  expect({
      {R"({})", "7"},
      {R"({ })", "7"},
      {R"({"time":12,"source":"a","module":"b","type":"c","node_type":"d","instance":"0","category":"e","ip":"::1","level":3,"kind":10,"pid":4,"sequence":5,"objects":["t:v"],"text":"x","id":"123e4567-E89B-12d3-a456-426614174000","f":"y"})",
       "12 source='a' module='b' type='c' node_type='d' instance='0' category='e' ip='::1' level=3 kind=10 pid=4 "
       "sequence=5 "
       "objects='t:v' text='x' id=123e4567e89b12d3a456426614174000 f='y'"},
      {R"({"MessageTS":12,"Source":"a","ModuleId":"b","Messagetype":"c","NodeType":"d","InstanceId":"0","Category":"e","IPAddress":"1.2.3.4","Level":3,"Type":1,"Pid":4,"SequenceNum":5,"ObjectName":["t:v"],"Xmlmessage":"<x/>"})",
       "12 source='a' module='b' type='c' node_type='d' instance='0' category='e' ip='1.2.3.4' level=3 kind=1 pid=4 "
       "sequence=5 "
       "objects='t:v' text='<x/>'"},
      {R"({"SOURCE":"a","message":"b","Time":1})", "7 SOURCE='a' message='b' Time=#1"},
      {R"( { "source" : "a" , "pid" : 4 , "objects" : [ "t:v" , "t:w" ] } )",
       "7 source='a' pid=4 objects='t:v' objects='t:w'"},
      {"\t{\"source\":\t\"a\"}\r\n", "7 source='a'"},
      {R"({"source":""})", "7 source=''"},
      {R"({"source":null,"pid":null,"objects":null,"time":null,"id":null,"text":null,"f":null})", "7"},
      {R"({"source":"a","source":"b"})", "7 source='b'"},
      {R"({"source":"a","Source":"b"})", "7 source='b'"},
      {R"({"source":"a","source":null,"time":9,"time":null})", "7"},
      {R"({"source":5,"text":true,"instance":-0.50})", "7 source='5' instance='-0.50' text='true'"},
      {R"({"source":["a"]})", "! 1: source takes text, not a list"},
      {R"({"text":{"a":1}})", "! 1: text takes text, not an object"},
      {R"({"Xmlmessage":[]})", "! 1: text takes text, not a list"},
  });
}

TEST(Messages, Numbers) {
  expect({
      {R"({"level":0,"kind":0})", "7 level=0 kind=0"},
      {R"({"level":2147483647})", "7 level=2147483647"},
      {R"({"level":-2147483648})", "7 level=-2147483648"},
      {R"({"level":"EMERG"})", "7 level=0"},
      {R"({"level":"fatal"})", "7 level=0"},
      {R"({"level":"Alert"})", "7 level=1"},
      {R"({"level":"critical"})", "7 level=2"},
      {R"({"level":"Error"})", "7 level=3"},
      {R"({"level":"WARN"})", "7 level=4"},
      {R"({"level":"notice"})", "7 level=5"},
      {R"({"level":"info"})", "7 level=6"},
      {R"({"level":"trace"})", "7 level=7"},
      {R"({"level":"5"})", "7 level=5"},
      {R"({"level":"-1"})", "7 level=-1"},
      {R"({"kind":"syslog"})", "7 kind=10"},
      {R"({"kind":"UVE"})", "7 kind=6"},
      {R"({"kind":12})", "7 kind=12"},
      {R"({"kind":"12"})", "7 kind=12"},
      {R"({"pid":9223372036854775807,"sequence":-9223372036854775808})",
       "7 pid=9223372036854775807 sequence=-9223372036854775808"},
      {R"({"pid":"4711"})", "7 pid=4711"},
      {R"({"level":2147483648})", "! 1: level 2147483648 is not a whole number of 32 bits"},
      {R"({"level":3.5})", "! 1: level 3.5 is not a whole number of 32 bits"},
      {R"({"level":1e0})", "! 1: level 1e0 is not a whole number of 32 bits"},
      {R"({"level":99999999999999999999})", "! 1: level 99999999999999999999 is not a whole number of 32 bits"},
      {R"({"level":"severe"})", "! 1: level 'severe' is neither a number nor the name of one"},
      {R"({"level":""})", "! 1: level '' is neither a number nor the name of one"},
      {R"({"level":true})", "! 1: level takes a number, not true"},
      {R"({"level":[3]})", "! 1: level takes a number, not a list"},
      {R"({"level":{"value":3}})", "! 1: level takes a number, not an object"},
      {R"({"kind":13})", "! 1: kind 13 is not one of the kinds 0 to 12"},
      {R"({"kind":-1})", "! 1: kind -1 is not one of the kinds 0 to 12"},
      {R"({"kind":"log"})", "! 1: kind 'log' is neither a number nor the name of one"},
      {R"({"pid":9223372036854775808})", "! 1: pid 9223372036854775808 is not a whole number of 64 bits"},
      {R"({"pid":"x"})", "! 1: pid 'x' is not a whole number of 64 bits"},
      {R"({"pid":false})", "! 1: pid takes a number, not false"},
      {R"({"sequence":1.0})", "! 1: sequence 1.0 is not a whole number of 64 bits"},
      {R"({"pid":"012345678901234567890123456789012345678901234567890123456789x"})",
       "! 1: pid '012345678901234567890123456789012345678901234567890123456789…' is not a whole number of 64 bits"},
  });
}

TEST(Messages, Times) {
  expect({
      {R"({"time":1700000000123456})", "1700000000123456"},
      {R"({"time":0})", "0"},
      {R"({"time":-1})", "-1"},
      {R"({"time":1.5})", "1.500"},
      {R"({"time":-1.5})", "-2.500"},
      {R"({"time":1.0009})", "1"},
      {R"({"time":1.7e15})", "1700000000000000"},
      {R"({"time":17E+14})", "1700000000000000"},
      {R"({"time":15e-1})", "1.500"},
      {R"({"time":0.00000000000000000000000000000000000000000001e50})", "1000000"},
      {R"({"time":100000000000000000000000000000000000000000000e-44})", "1"},
      {R"({"time":1e-999999999999})", "0"},
      {R"({"time":0e999999999999})", "0"},
      {R"({"time":9223372036854775807})", "9223372036854775807"},
      {R"({"time":-9223372036854775808})", "-9223372036854775808"},
      {R"({"time":"1700000000123456"})", "1700000000123456"},
      {R"({"time":"2026-11-24T13:19:27.123456789Z"})", "1795526367123456.789"},
      {R"({"time":"2026-11-24T13:19:27+01:00"})", "1795522767000000"},
      {R"({"MessageTS":"2026-11-24 13:19:27z"})", "1795526367000000"},
      {R"({"time":9223372036854775808})", "! 1: time 9223372036854775808 is out of range"},
      {R"({"time":1e999999999999})", "! 1: time 1e999999999999 is out of range"},
      {R"({"time":-1e30})", "! 1: time -1e30 is out of range"},
      {R"({"time":"yesterday"})", "! 1: time 'yesterday' is neither RFC 3339 with a zone nor a number"},
      {R"({"time":"2026-11-24T13:19:27"})",
       "! 1: time '2026-11-24T13:19:27' is neither RFC 3339 with a zone nor a number"},
      {R"({"time":"2026-02-30T13:19:27Z"})",
       "! 1: time '2026-02-30T13:19:27Z' is neither RFC 3339 with a zone nor a number"},
      {R"({"time":""})", "! 1: time '' is neither RFC 3339 with a zone nor a number"},
      {R"({"time":"1e"})", "! 1: time '1e' is neither RFC 3339 with a zone nor a number"},
      {R"({"time":true})", "! 1: time takes a number or RFC 3339, not true"},
      {R"({"time":[1]})", "! 1: time takes a number or RFC 3339, not a list"},
      {R"({"time":{}})", "! 1: time takes a number or RFC 3339, not an object"},
  });
}

TEST(Messages, TimesHaveAUnit) {
  EXPECT_EQ(precision_of("s"), Precision::s);
  EXPECT_EQ(precision_of("ms"), Precision::ms);
  EXPECT_EQ(precision_of("us"), Precision::us);
  EXPECT_EQ(precision_of("ns"), Precision::ns);
  EXPECT_EQ(precision_of("m"), std::nullopt);
  EXPECT_EQ(precision_of(""), std::nullopt);
  Options options = at_now();
  const auto time = [&](Precision precision, const std::string& number) {
    options.precision = precision;
    return read("{\"time\":" + number + "}", options);
  };
  EXPECT_EQ(time(Precision::s, "1700000000"), "1700000000000000");
  EXPECT_EQ(time(Precision::s, "1700000000.1234567891"), "1700000000123456.789");
  EXPECT_EQ(time(Precision::s, "9223372036854"), "9223372036854000000");
  EXPECT_EQ(time(Precision::s, "9223372036855"), "! 1: time 9223372036855 is out of range");
  EXPECT_EQ(time(Precision::ms, "1700000000123.5"), "1700000000123500");
  EXPECT_EQ(time(Precision::ns, "1700000000123456789"), "1700000000123456.789");
  EXPECT_EQ(time(Precision::ns, "-1"), "-1.999");
  EXPECT_EQ(time(Precision::ns, "0.5"), "0");
  EXPECT_EQ(time(Precision::ns, "\"17\""), "0.17");
  EXPECT_EQ(time(Precision::ns, "\"2026-11-24T13:19:27Z\""), "1795526367000000");
}

TEST(Messages, TimesOutsideOfTheLimitsAreRefusedByName) {
  Options options = at_now();
  options.limits = {100, 200, "older than messages.retention", "further ahead than messages.future"};
  EXPECT_EQ(read("{\"time\":100}\n{\"time\":200}\n{}", options), "100 | 200 | 7");
  EXPECT_EQ(read("{\"time\":-99}", options), "! 1: time -99 is older than messages.retention");
  EXPECT_EQ(read("{\"time\":201}", options), "! 1: time 201 is further ahead than messages.future");
  EXPECT_EQ(read("{\"time\":\"1969-12-31T00:00:00Z\"}", options),
            "! 1: time 1969-12-31T00:00:00Z is older than messages.retention");
  const std::string body = "{\"time\":99}\n{\"time\":201}\n{\"text\":1,}" + std::string(kBodyPadding, ' ');
  message::Batch batch;
  const Outcome outcome = parse_messages({body.data(), body.size() - kBodyPadding}, options, batch);
  EXPECT_EQ(outcome.count(Code::too_old), 1U);
  EXPECT_EQ(outcome.count(Code::invalid), 2U);
  EXPECT_EQ(outcome.rejected, 3U);
}

TEST(Messages, ATimeThatIsProbablyOfAnotherUnitIsAskedFor) {
  Options options = at_now();
  options.limits = {1'700'000'000'000'000, 1'800'000'000'000'000, "too old", "too far ahead"};
  const auto said = [&](const char* time) { return read("{\"time\":" + std::string(time) + "}", options); };
  const std::string hint = "; times are taken as microseconds here: is that their unit?";
  EXPECT_EQ(said("1750000000"), "! 1: time 1750000000 is too old" + hint);
  EXPECT_EQ(said("1750000000.5"), "! 1: time 1750000000.5 is too old" + hint);
  EXPECT_EQ(said("\"1750000000000\""), "! 1: time 1750000000000 is too old" + hint);
  EXPECT_EQ(said("1750000000000000000"), "! 1: time 1750000000000000000 is too far ahead" + hint);
  EXPECT_EQ(said("1600000000000000"), "! 1: time 1600000000000000 is too old");
  EXPECT_EQ(said("1900000000000000"), "! 1: time 1900000000000000 is too far ahead");
  EXPECT_EQ(said("\"1970-01-01T00:00:01Z\""), "! 1: time 1970-01-01T00:00:01Z is too old");
  EXPECT_EQ(said("-5"), "! 1: time -5 is too old");
}

TEST(Messages, Objects) {
  expect({
      {R"({"objects":[]})", "7"},
      {R"({"objects":["a:b"]})", "7 objects='a:b'"},
      {R"({"objects":"a:b"})", "7 objects='a:b'"},
      {R"({"ObjectName":"a:b:c:\"d\\"})", "7 objects='a:b:c:\"d\\'"},
      {R"({"objects":["a:b","c:d","a:b"]})", "7 objects='a:b' objects='c:d'"},
      {R"({"objects":["a:b",null]})", "7 objects='a:b'"},
      {R"({"objects":["a:b"],"objects":["c:d"]})", "7 objects='c:d'"},
      {R"({"objects":["a:b"],"ObjectName":null})", "7"},
      {R"({"objects":["a:b"],"objects":[]})", "7"},
      {R"({"objects":["ab"]})", "! 1: 'ab' is not an object's name: type:value"},
      {R"({"objects":":b"})", "! 1: ':b' is not an object's name: type:value"},
      {R"({"objects":"a:"})", "! 1: 'a:' is not an object's name: type:value"},
      {R"({"objects":""})", "! 1: '' is not an object's name: type:value"},
      {R"({"objects":["a:b",5]})", "! 1: objects has an item that is not a text"},
      {R"({"objects":[["a:b"]]})", "! 1: objects has an item that is not a text"},
      {R"({"objects":5})", "! 1: objects takes a list of texts, not a number"},
      {R"({"objects":{"a":"b"}})", "! 1: objects takes a list of texts, not an object"},
      {R"({"objects":true})", "! 1: objects takes a list of texts, not true"},
      {R"({"objects":["a:b")", "! 1: not JSON: End of input at column 18"},
      {R"({"objects":["a:b",]})", "! 1: not JSON at column 19"},
  });
}

TEST(Messages, NamesInXml) {
  Options options = at_now();
  options.names_in_xml = true;
  EXPECT_EQ(read(R"({"objects":["a:b"],"text":"<x><y key=\"T\">v&amp;w</y><y key=\"T\">u</y></x>"})", options),
            R"(7 objects='a:b' objects='T:v&w:u' text='<x><y key="T">v&amp;w</y><y key="T">u</y></x>')");
  EXPECT_EQ(read(R"({"Xmlmessage":"<x key='a'>b</x>","objects":["a:b"]})", options),
            "7 objects='a:b' text='<x key='a'>b</x>'");
  EXPECT_EQ(read(R"({"text":"<x key='T'>v"})", options), "7 text='<x key='T'>v'");
  EXPECT_EQ(read(R"({"text":"<x key='T'>v</x>","text":null})", options), "7");
  EXPECT_EQ(read(R"({"source":"<x key='T'>v</x>"})", options), "7 source='<x key='T'>v</x>'");
  EXPECT_EQ(read(R"({"text":"<x key='T'>v</x>"})"), "7 text='<x key='T'>v</x>'");
}

TEST(Messages, Ids) {
  expect({
      {R"({"id":"00000000-0000-0000-0000-000000000000"})", "7 id=00000000000000000000000000000000"},
      {R"({"id":"FFFFFFFF-ffff-ffff-FFFF-ffffffffffff"})", "7 id=ffffffffffffffffffffffffffffffff"},
      {R"({"id":"x"})", "! 1: id 'x' is not a UUID"},
      {R"({"id":""})", "! 1: id '' is not a UUID"},
      {R"({"id":"123e4567e89b12d3a456426614174000"})", "! 1: id '123e4567e89b12d3a456426614174000' is not a UUID"},
      {R"({"id":"123e4567-e89b-12d3-a456-42661417400g"})",
       "! 1: id '123e4567-e89b-12d3-a456-42661417400g' is not a UUID"},
      {R"({"id":"123e4567-e89b-12d3-a456_426614174000"})",
       "! 1: id '123e4567-e89b-12d3-a456_426614174000' is not a UUID"},
      {R"({"id":5})", "! 1: id takes a UUID, not a number"},
      {R"({"id":false})", "! 1: id takes a UUID, not false"},
  });
}

TEST(Messages, Fields) {
  expect({
      {R"({"a":"x"})", "7 a='x'"},
      {R"({"a":""})", "7 a=''"},
      {R"({"a":1})", "7 a=#1"},
      {R"({"a":-1.50E+3,"b":0})", "7 a=#-1.50E+3 b=#0"},
      {R"({"a":123456789012345678901234567890.5})", "7 a=#123456789012345678901234567890.5"},
      {R"({"a":true,"b":false})", "7 a=true b=false"},
      {R"({"a":[]})", "7 a=[]"},
      {R"({"a":[1, "x" ,{"b":null}],"c":1})", "7 a=[1, \"x\" ,{\"b\":null}] c=#1"},
      {R"({"a":{"b":1,"c":{"d":"x"}},"e":{}})", "7 a.b=#1 a.c.d='x'"},
      {R"({"a":{"b":[{"c":1}],"d":null}})", R"(7 a.b=[{"c":1}])"},
      {R"({"a":{"b":1},"a.b":2})", "7 a.b=#2"},
      {R"({"a.b":2,"a":{"b":null}})", "7"},
      {R"({"a":1,"b":2,"a":3})", "7 a=#3 b=#2"},
      {R"({"a":1,"a":null})", "7"},
      {R"({"a":{"source":"x"}})", "7 a.source='x'"},
      {R"({"\u0061":1,"a\"b":2})", "7 a=#1 a\"b=#2"},
      {R"({"\u0073ource":"x"})", "7 source='x'"},
      {R"({"":{"":1}})", "7 .=#1"},
      {R"({"":1})", "! 1: a field has no name"},
      {R"({"a":[1,]})", "! 1: not JSON at column 9"},
      {R"({"a":{"b":1})", "! 1: not JSON: End of input at column 13"},
  });
  const std::string longest(256, 'n');
  EXPECT_EQ(read("{\"" + longest + "\":1}"), "7 " + longest + "=#1");
  EXPECT_EQ(read("{\"n" + longest + "\":1}"), "! 1: a field's name has 257 bytes; at most 256");
  EXPECT_EQ(read("{\"n" + longest + "\":{}}"), "! 1: a field's name has 257 bytes; at most 256");
  std::string deep;
  for (int i = 0; i < 128; ++i) deep += "{\"a\":";
  EXPECT_EQ(read(deep + "1" + std::string(128, '}')).size(), 2U + 255 + 3);
  EXPECT_EQ(read(deep + deep + "1" + std::string(256, '}')), "! 1: a field's name has 257 bytes; at most 256");
}

TEST(Messages, Texts) {
  expect({
      {R"({"text":"a\"b\\c\/d\b\f\n\r\t"})", "7 text='a\"b\\c/d\b\f\n\r\t'"},
      {R"({"text":"\u00e9\ud83d\ude00é"})", "7 text='é😀é'"},
      {R"({"text":"\ud83d"})", "7 text='\xef\xbf\xbd'"},
      {R"({"\ud83d":"x"})", "! 1: not JSON: Half of a surrogate pair at column 9"},
      {R"({"source":"\"a\"","text":"\"b\"","f":"\"c\""})", "7 source='\"a\"' text='\"b\"' f='\"c\"'"},
      {"{\"text\":\"a\xff\xc3\x80z\"}", "7 text='a\xff\xc3\x80z'"},
      {"{\"text\":\"a\xff\\n\x80\"}", "7 text='a\xff\n\x80'"},
      {"{\"\xff\":\"\x7f\"}", "7 \xff='\x7f'"},
      {R"({"text":"\q"})", "! 1: not JSON: Invalid escape sequence at column 12"},
      {R"({"text":"\u12g4"})", R"(! 1: not JSON: Invalid escape sequence \u12g4)"},
      {R"({"text":"a)", "! 1: not JSON: Unterminated string at column 11"},
      {"{\"text\":\"a\tb\"}", "! 1: not JSON: Control character in a string at column 11"},
      {"{\"text\":\"a\x1f\"}", "! 1: not JSON: Control character in a string at column 11"},
      {"{\"te\txt\":\"a\"}", "! 1: not JSON: Control character in a string at column 5"},
  });
  using namespace std::string_literals;
  EXPECT_EQ(read("{\"text\":\"\\u0000\"}"), "7 text='\0'"s);
  EXPECT_EQ(read("{\"text\":\"\0\"}"s), "! 1: not JSON: Control character in a string at column 10");
  EXPECT_EQ(read("\xef\xbb\xbf{}"), "! 1: not JSON at column 1");
}

TEST(Messages, Syntax) {
  expect({
      {"x", "! 1: not JSON at column 1"},
      {"5", "! 1: it is not an object"},
      {"\"a\"", "! 1: it is not an object"},
      {"null", "! 1: it is not an object"},
      {"{", "! 1: not JSON: End of input at column 2"},
      {"}", "! 1: not JSON: Expected value at column 1"},
      {"{}}", "! 1: there is something behind the object"},
      {"{} {}", "! 1: there is something behind the object"},
      {"{}x", "! 1: there is something behind the object"},
      {R"({"a":1,})", "! 1: not JSON: Expected name at column 9"},
      {R"({"a":1 "b":2})", "! 1: not JSON: Unterminated object at column 9"},
      {R"({"a" 1})", "! 1: not JSON: Expected ':' at column 7"},
      {R"({"a":})", "! 1: not JSON: Expected value at column 6"},
      {R"({"a":01})", "! 1: not JSON at column 6"},
      {R"({"a":1.})", "! 1: not JSON at column 6"},
      {R"({"a":.5})", "! 1: not JSON at column 6"},
      {R"({"a":+1})", "! 1: not JSON at column 6"},
      {R"({"a":-})", "! 1: not JSON at column 6"},
      {R"({"a":1e})", "! 1: not JSON at column 6"},
      {R"({"a":0x1})", "! 1: not JSON at column 6"},
      {R"({"a":True})", "! 1: not JSON at column 6"},
      {R"({"a":nullx})", "! 1: not JSON at column 6"},
      {R"({"a":NaN})", "! 1: not JSON at column 6"},
      {R"({a:1})", "! 1: not JSON at column 3"},
      {R"({'a':1})", "! 1: not JSON at column 3"},
      {R"({"a":'b'})", "! 1: not JSON at column 7"},
      {R"({"a"="b"})", "! 1: not JSON at column 6"},
      {R"({"a":1;"b":2})", "! 1: not JSON at column 8"},
      {R"({"a":1}//)", "! 1: there is something behind the object"},
      {R"({/**/"a":1})", "! 1: not JSON at column 2"},
  });
}

TEST(Messages, Lines) {
  expect({
      {"", ""},
      {"\n", ""},
      {"\n \r\n\t\n", ""},
      {"{\"pid\":1}\n{\"pid\":2}\n", "7 pid=1 | 7 pid=2"},
      {"{\"pid\":1}\r\n{\"pid\":2}\r\n", "7 pid=1 | 7 pid=2"},
      {"\n\n{\"pid\":1}\n\n{\"pid\":2}", "7 pid=1 | 7 pid=2"},
      {"{\"pid\":1}\nx\n\n{\"pid\":2}\n{\"pid\":\"y\"}\n{\"pid\":3}",
       "7 pid=1 | 7 pid=2 | 7 pid=3 | ! 2: not JSON at column 1 | ! 5: pid 'y' is not a whole number of 64 bits"},
      {"{\"pid\":1,\n\"source\":\"a\"}", "! 1: not JSON: End of input at column 10 | ! 2: it is not an object"},
      {"{\"text\":\"a\nb\"}\n{}", "7 | ! 1: not JSON: Unterminated string at column 11 | ! 2: not JSON at column 1"},
      {"{\"objects\":[\"a:b\",\n\"c:d\"]}", "! 1: not JSON: End of input at column 19 | ! 2: it is not an object"},
      {"{}\n[]", "7 | ! 2: it is not an object"},
      {"{\"pid\":1}\n{\"pid\":", "7 pid=1 | ! 2: not JSON: End of input at column 8"},
  });
}

TEST(Messages, Arrays) {
  expect({
      {"[]", ""},
      {" \n[ ] \n", ""},
      {"[{\"pid\":1},{\"pid\":2}]", "7 pid=1 | 7 pid=2"},
      {"\n[\n  {\n    \"pid\": 1,\n    \"f\": [\n1]\n  },\n  {\"pid\": 2}\n]\n", "7 pid=1 f=[\n1] | 7 pid=2"},
      {"[{\"pid\":1},{\"pid\":\"x\",\"a\":[{}]},{\"pid\":2}]",
       "7 pid=1 | 7 pid=2 | ! 2: pid 'x' is not a whole number of 64 bits"},
      {"[1,\"a\",null,[{}],{\"pid\":1}]",
       "7 pid=1 | ! 1: it is not an object | ! 2: it is not an object | ! 3: it is not an object | ! 4: it is not an "
       "object"},
      {"[{\"pid\":1},{\"pid\":2]",
       "7 pid=1 | ! 2: not JSON: Unterminated object at line 1 column 21; nothing behind it was read"},
      {"[{\"pid\":1}\n{\"pid\":2}]",
       "7 pid=1 | ! 2: not JSON: Unterminated array at line 2 column 2; nothing behind it was read"},
      {"[{\"pid\":1},]", "7 pid=1 | ! 2: not JSON at line 1 column 12; nothing behind it was read"},
      {"[{\"pid\":1}", "7 pid=1 | ! 2: not JSON: End of input at line 1 column 11; nothing behind it was read"},
      {"[", "! 1: not JSON: End of input at line 1 column 2; nothing behind it was read"},
      {"[{\"pid\":1}]x", "7 pid=1 | ! 2: there is something behind the array"},
      {"[{\"pid\":1}]\n{\"pid\":2}", "7 pid=1 | ! 2: there is something behind the array"},
      {"[{\"pid\":\"x\",\"a\":]",
       "! 1: pid 'x' is not a whole number of 64 bits | "
       "! 2: not JSON: Unexpected value at line 1 column 18; nothing behind it was read"},
  });
}

TEST(Messages, Limits) {
  const std::string mebibyte(message::kTextBytesMax, 'x');
  EXPECT_EQ(read("{\"text\":\"" + mebibyte + "\"}").size(), mebibyte.size() + 9);
  EXPECT_EQ(read("{\"text\":\"" + mebibyte + "x\"}"), "! 1: text has 1048577 bytes; at most 1048576");
  EXPECT_EQ(read("{\"f\":\"" + mebibyte + "x\"}"), "! 1: f has 1048577 bytes; at most 1048576");
  EXPECT_EQ(read("{\"source\":\"" + mebibyte + "\"}\n{}"), "7 | ! 1: source has 1048576 bytes; at most 65536");
  std::string objects, fields, nested;
  for (int i = 0; i < 1000; ++i) fields += ",\"f" + std::to_string(i) + "\":1";
  for (int i = 0; i < 1024; ++i) objects += ",\"t:" + std::to_string(i) + '"';
  EXPECT_TRUE(read("{" + fields.substr(1) + "}").ends_with("f999=#1"));
  EXPECT_EQ(read("{\"g\":1" + fields + "}"), "! 1: more than 1000 fields");
  EXPECT_TRUE(read("{\"a\":{" + fields.substr(1) + "}}").ends_with("a.f999=#1"));
  EXPECT_EQ(read("{\"a\":{\"g\":1" + fields + "}}"), "! 1: more than 1000 fields");
  for (int i = 0; i < 2001; ++i) nested += ",\"f\":1";
  EXPECT_EQ(read("{\"a\":{" + nested.substr(1) + "}}"), "! 1: more than 1000 fields");
  EXPECT_TRUE(read("{\"objects\":[" + objects.substr(1) + "]}").ends_with("'t:1023'"));
  EXPECT_EQ(read("{\"objects\":[\"u:1\"" + objects + "]}"), "! 1: more than 1024 objects");
  const std::string nesting = "{\"a\":" + std::string(300, '[') + std::string(300, ']') + "}";
  EXPECT_EQ(read(nesting), "! 1: not JSON: Nested too deeply at column 263");
}

// Each of its fields is small enough.
TEST(Messages, AMessageOfTooMuchJsonIsRefused) {
  const std::string mebibyte(message::kTextBytesMax, 'x');
  std::string body = "{\"pid\":1}\n{";
  for (int i = 0; i < 32; ++i) body += "\"f" + std::to_string(i) + "\":\"" + mebibyte + "\",";
  body += "\"pid\":2}\n{\"pid\":3}";
  for (const Way way : {Way::fast, Way::general}) {
    const std::string got = parsed(body, at_now(), way, ' ');
    EXPECT_EQ(got, "7 pid=1 | 7 pid=3 | ! 2: it has 33554719 bytes; at most 33554432");
  }
}

TEST(Messages, AHundredErrorsAreListed) {
  std::string body;
  for (int i = 0; i < 250; ++i) body += "{}\nx\n";
  const std::size_t size = body.size();
  body.append(kBodyPadding, ' ');
  message::Batch batch;
  const Outcome outcome = parse_messages({body.data(), size}, at_now(), batch);
  EXPECT_EQ(outcome.accepted, 250U);
  EXPECT_EQ(outcome.rejected, 250U);
  ASSERT_EQ(outcome.listed.size(), 100U);
  EXPECT_EQ(outcome.listed.back().position, 200U);
}

}  // namespace
}  // namespace varve::protocol::messages
