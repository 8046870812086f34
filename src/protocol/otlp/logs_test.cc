// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/logs.h"

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "protocol/otlp/logs_text.h"

namespace varve::protocol::otlp {
namespace {

struct LogCase {
  std::string body;
  std::string want;
};

std::string record_json(std::string_view members) {
  return R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{)" + std::string(members) + "}]}]}]}";
}

void expect_logs(std::initializer_list<LogCase> cases) {
  for (const auto& [body, want] : cases) EXPECT_EQ(logs_text(body, true), want) << body;
}
void expect_records(std::initializer_list<LogCase> cases) {
  for (const auto& [members, want] : cases) EXPECT_EQ(logs_text(record_json(members), true), want) << members;
}

TEST(OtlpLogs, Json) {
  expect_logs({
      {R"({"resourceLogs":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"web01"}},{"key":"service.name","value":{"stringValue":"cart"}}]},"scopeLogs":[{"scope":{"name":"lib","version":"2","attributes":[{"key":"s","value":{"boolValue":true}}]},"logRecords":[{"timeUnixNano":"1700000000000000123","severityNumber":9,"severityText":"INFO","body":{"stringValue":"a line"},"attributes":[{"key":"n","value":{"intValue":"5"}}],"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","flags":1,"droppedAttributesCount":2,"eventName":"e"}]}]}]})",
       "1700000000000000.123 source='web01' module='cart' level=6 text='a line' host.name='web01' service.name='cart' "
       "scope.name='lib' scope.version='2' s=true n=#5 trace_id='5b8efff798038103d269b633813fc60c' "
       "span_id='eee19b7ec3c1b174' severity_text='INFO' event_name='e' flags=#1 dropped_attributes_count=#2"},
      {R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a"}},{"body":{"stringValue":"b"}}]}]},{"scopeLogs":[{"logRecords":[{}]}]}]})",
       "7 text='a' | 7 text='b' | 7"},
      {"{}", ""},
      {R"({"resourceLogs":[]})", ""},
      {R"({"resourceLogs":[{"scopeLogs":[{}]}],"x":1})", ""},
      {R"({"resourceLogs":[{"resource":{"attributes":[{"key":"a","value":{"stringValue":"r"}}]},"scopeLogs":[{"logRecords":[{"attributes":[{"key":"a","value":{"stringValue":"l"}}]}]}]}]})",
       "7 a='l'"},
  });
}

TEST(OtlpLogs, Times) {
  expect_records({
      {R"("timeUnixNano":"5001","observedTimeUnixNano":"9000")", "5.1"},
      {R"("timeUnixNano":"0","observedTimeUnixNano":"9000")", "9"},
      {R"("timeUnixNano":5000)", "5"},
      {R"("timeUnixNano":"999")", "! 1: time 999 is too old"},
      {R"("timeUnixNano":"4000000000000001000")", "! 1: time 4000000000000001000 is too far ahead"},
      {R"("timeUnixNano":"18446744073709551615")", "! 1: time 18446744073709551615 is too far ahead"},
      {R"("timeUnixNano":"-5")", "! 1: timeUnixNano is not a whole number of 64 bits"},
      {R"("timeUnixNano":"")", "! 1: timeUnixNano is not a whole number"},
      {R"("timeUnixNano":true)", "! 1: timeUnixNano is not a whole number of 64 bits"},
  });
}

TEST(OtlpLogs, Levels) {
  expect_records({
      {R"("severityNumber":1)", "7 level=7 severity_number=#1"},
      {R"("severityNumber":4)", "7 level=7 severity_number=#4"},
      {R"("severityNumber":5)", "7 level=7"},
      {R"("severityNumber":9)", "7 level=6"},
      {R"("severityNumber":12)", "7 level=6 severity_number=#12"},
      {R"("severityNumber":13)", "7 level=4"},
      {R"("severityNumber":17)", "7 level=3"},
      {R"("severityNumber":21)", "7 level=0"},
      {R"("severityNumber":24)", "7 level=0 severity_number=#24"},
      {R"("severityNumber":25)", "7 severity_number=#25"},
      {R"("severityNumber":-1)", "7 severity_number=#-1"},
      {R"("severityNumber":"SEVERITY_NUMBER_WARN")", "7 level=4"},
      {R"("severityNumber":"SEVERITY_NUMBER_ERROR3")", "7 level=3 severity_number=#19"},
      {R"("severityNumber":"SEVERITY_NUMBER_UNSPECIFIED")", "7"},
      {R"("severityNumber":"LOUD")", "! 1: severityNumber is not a whole number of 32 bits"},
      {R"("severityText":"Warning")", "7 level=4 severity_text='Warning'"},
      {R"("severityNumber":17,"severityText":"info")", "7 level=3 severity_text='info'"},
      {R"("severityText":"loud")", "7 severity_text='loud'"},
      {R"("severityText":5)", "! 1: severityText is not a text"},
  });
}

TEST(OtlpLogs, Values) {
  const auto attribute = [](std::string_view value) {
    const std::string got =
        logs_text(record_json(R"("attributes":[{"key":"k","value":)" + std::string(value) + "}]"), true);
    return got.starts_with("7 ") ? got.substr(2) : got;
  };
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"stringValue":"x"})", "k='x'"},
      {R"({"stringValue":""})", "k=''"},
      {R"({"boolValue":false})", "k=false"},
      {R"({"intValue":"-5"})", "k=#-5"},
      {R"({"intValue":5})", "k=#5"},
      {R"({"intValue":"007"})", "k=#7"},
      {R"({"intValue":"9223372036854775808"})",
       "! 1: '9223372036854775808' is not an intValue, a whole number of 64 bits"},
      {R"({"intValue":1.5})", "! 1: '1.5' is not an intValue, a whole number of 64 bits"},
      {R"({"doubleValue":1.5e300})", "k=#1.5e300"},
      {R"({"doubleValue":"2.5"})", "k=#2.5"},
      {R"({"doubleValue":"NaN"})", "k='NaN'"},
      {R"({"doubleValue":"-Infinity"})", "k='-Infinity'"},
      {R"({"doubleValue":"1 "})", "! 1: '1 ' is not a doubleValue"},
      {R"({"bytesValue":"AAE="})", "k='AAE='"},
      {R"({"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"\""},{},{"kvlistValue":{"values":[{"key":"a","value":{"boolValue":true}}]}}]}})",
       R"(k=[1,"\"",null,{"a":true}])"},
      {R"({"arrayValue":{}})", "k=[]"},
      {R"({"kvlistValue":{"values":[{"key":"a","value":{"intValue":"1"}},{"key":"b","value":{"kvlistValue":{"values":[{"key":"c","value":{"stringValue":"x"}}]}}}]}})",
       "k.a=#1 k.b.c='x'"},
      {R"({})", "7"},
      {"null", "7"},
      {R"({"futureValue":5})", "7"},
      {"5", R"(! 1: a value is not an object such as {"stringValue":"x"})"},
      {R"({"stringValue":5})", "! 1: stringValue is not a text"},
      {R"({"boolValue":1})", "! 1: boolValue is not true or false"},
      {R"({"arrayValue":[]})", "! 1: arrayValue is not an object"},
      {R"({"kvlistValue":{"values":5}})", "! 1: values is not a list"},
  };
  for (const auto& [value, want] : kCases) EXPECT_EQ(attribute(value), want) << value;
}

TEST(OtlpLogs, Bodies) {
  expect_records({
      {R"("body":{"kvlistValue":{"values":[{"key":"a","value":{"intValue":"1"}}]}})", R"(7 text='{"a":1}')"},
      {R"("body":{"arrayValue":{"values":[{"doubleValue":0.5}]}})", "7 text='[0.5]'"},
      {R"("body":{"intValue":"5"})", "7 text='5'"},
      {R"("body":{"stringValue":""})", "7 text=''"},
      {R"("body":{"stringValue":")" + std::string(message::kTextBytesMax + 1, 'x') + "\"}",
       "! 1: text has 1048577 bytes; at most 1048576"},
  });
}

TEST(OtlpLogs, Refused) {
  std::string nested;
  for (int i = 0; i < 40; ++i) nested += R"({"arrayValue":{"values":[)";
  nested += "{}";
  for (int i = 0; i < 40; ++i) nested += "]}}";
  std::string many;
  for (int i = 0; i < 1001; ++i)
    many += (i == 0 ? "" : ",") + (R"({"key":"f)" + std::to_string(i)) + R"(","value":{"intValue":"1"}})";
  expect_logs({
      {"", "!! not JSON: End of input at line 1 column 1"},
      {"5", "!! the body is not an object"},
      {R"({"resourceLogs":{}})", "!! resourceLogs is not a list"},
      {R"({"resourceLogs":[5]})", "!! an item of resourceLogs is not an object"},
      {R"({"resourceLogs":[{"scopeLogs":5}]})", "!! scopeLogs is not a list"},
      {R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[[]]}]}]})", "!! an item of logRecords is not an object"},
      {R"({"resourceLogs":[{"resource":5,"scopeLogs":[{"logRecords":[{},{}]}]},{"scopeLogs":[{"logRecords":[{}]}]}]})",
       "7 | ! 1: resource is not an object | ! 2: resource is not an object"},
      {R"({"resourceLogs":[{"scopeLogs":[{"scope":{"name":5},"logRecords":[{}]},{"logRecords":[{}]}]}]})",
       "7 | ! 1: name is not a text"},
  });
  expect_records({
      {R"("traceId":"xy")", "! 1: traceId is not in hex"},
      {R"("spanId":"abc")", "! 1: spanId is not in hex"},
      {R"("traceId":"00000000000000000000000000000000")", "7"},
      {R"("attributes":{})", "! 1: attributes is not a list"},
      {R"("attributes":[{"value":{"stringValue":"x"}}])", "! 1: a field has no name"},
      {R"("attributes":[{"key":5}])", "! 1: an attribute's key is not a text"},
      {R"("attributes":[)" + many + "]", "! 1: more than 1000 fields"},
      {R"("attributes":[{"key":")" + std::string(257, 'k') + R"(","value":{"boolValue":true}}])",
       "! 1: a field's name has 257 bytes; at most 256"},
  });
  EXPECT_TRUE(logs_text(record_json(R"("body":)" + nested), true).starts_with("!! not JSON"))
      << "deeper than trees are";
}

// --- protobuf

std::string string_value(const std::string& text) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_string(1, text);
  return bytes;
}

std::string pair_of(const std::string& key, const std::string& value) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  to.add_string(1, key);
  to.add_message(2, value);
  return bytes;
}

std::string in_message(unsigned number, const std::string& message) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(number, message);
  return bytes;
}

std::string request_of(const std::string& record, const std::string& resource = {}, bool resource_last = false) {
  const std::string scope = in_message(2, in_message(2, record));
  const std::string of = resource.empty() ? "" : in_message(1, resource);
  return in_message(1, resource_last ? scope + of : of + scope);
}

std::string whole_record() {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  to.add_fixed64(1, 1'700'000'000'000'000'123);
  to.add_int32(2, 17);
  to.add_string(3, "ERROR");
  to.add_message(5, string_value("a line"));
  to.add_message(6, pair_of("a", string_value("b")));
  to.add_uint32(7, 1);
  to.add_fixed32(8, 1);
  to.add_bytes(9, std::string("\x5b\x8e\xff\xf7\x98\x03\x81\x03\xd2\x69\xb6\x33\x81\x3f\xc6\x0c", 16));
  to.add_bytes(10, std::string("\xee\xe1\x9b\x7e\xc3\xc1\xb1\x74", 8));
  to.add_string(12, "e");
  return bytes;
}

TEST(OtlpLogs, Protobuf) {
  const std::string host = in_message(1, pair_of("host.name", string_value("h")));
  const std::string want =
      "1700000000000000.123 source='h' level=3 text='a line' host.name='h' a='b' "
      "trace_id='5b8efff798038103d269b633813fc60c' "
      "span_id='eee19b7ec3c1b174' severity_text='ERROR' event_name='e' flags=#1 dropped_attributes_count=#1";
  EXPECT_EQ(logs_text(request_of(whole_record(), host), false), want);
  EXPECT_EQ(logs_text(request_of(whole_record(), host, true), false), want) << "a resource behind its records";
  EXPECT_EQ(logs_text("", false), "");
  EXPECT_EQ(logs_text(request_of(""), false), "7");
  EXPECT_EQ(logs_text("\x0a\x05x", false), "!! the body is not an ExportLogsServiceRequest in protobuf");
  EXPECT_EQ(logs_text(request_of("\x2a\x05x"), false), "!! the body is not an ExportLogsServiceRequest in protobuf");
  EXPECT_EQ(logs_text(request_of("\x2a\x01\x0a"), false), "! 1: a value is not valid protobuf");
  EXPECT_EQ(logs_text(request_of("\x32\x01\x0a"), false), "! 1: an attribute is not valid protobuf");
}

TEST(OtlpLogs, ProtobufValues) {
  const auto attribute = [](const std::string& value) {
    const std::string got = logs_text(request_of(in_message(6, pair_of("k", value))), false);
    return got.starts_with("7 ") ? got.substr(2) : got;
  };
  const auto written = [](const auto& write) {
    std::string bytes;
    protozero::pbf_writer to(bytes);
    write(to);
    return bytes;
  };
  EXPECT_EQ(attribute(written([](auto& to) { to.add_bool(2, true); })), "k=true");
  EXPECT_EQ(attribute(written([](auto& to) { to.add_int64(3, -5); })), "k=#-5");
  EXPECT_EQ(attribute(written([](auto& to) { to.add_double(4, 1.5); })), "k=#1.5");
  EXPECT_EQ(attribute(written([](auto& to) { to.add_double(4, std::numeric_limits<double>::infinity()); })),
            "k='Infinity'");
  EXPECT_EQ(attribute(written([](auto& to) { to.add_bytes(7, std::string("\0\x01", 2)); })), "k='AAE='");
  EXPECT_EQ(attribute(in_message(5, in_message(1, string_value("x")))), R"(k=["x"])");
  EXPECT_EQ(attribute(in_message(6, in_message(1, pair_of("a", string_value("x"))))), "k.a='x'");
  EXPECT_EQ(attribute(""), "7");
  std::string deep = string_value("x");
  for (int i = 0; i < 40; ++i) deep = in_message(5, in_message(1, deep));
  EXPECT_EQ(attribute(deep), "! 1: values are nested more than 32 deep");
  std::string wide;
  for (int i = 0; i < 100'001; ++i) wide += in_message(1, "");
  EXPECT_EQ(attribute(in_message(5, wide)), "! 1: more than 100000 values");
}

TEST(OtlpLogs, SharedAttributesDoNotMultiply) {
  std::string resource;
  for (int i = 0; i < 15; ++i)
    resource += in_message(1, pair_of("a" + std::to_string(i), string_value(std::string(60'000, 'v'))));
  std::string records;
  for (int i = 0; i < 30; ++i) records += in_message(2, "");
  const std::string body = in_message(1, in_message(1, resource) + in_message(2, records));
  EXPECT_NE(
      logs_text(body, false).find("! 20: attributes of resource and scope, repeated for their records, are more than"),
      std::string::npos);
  const std::string large = in_message(1, pair_of("a", string_value(std::string(1 << 20, 'v'))));
  EXPECT_EQ(logs_text(request_of("", large), false),
            "! 1: attributes of resource and scope have more than 1048576 bytes");
}

TEST(OtlpLogs, Responses) {
  Outcome outcome;
  outcome.accepted = 5;
  EXPECT_EQ(logs_response_json(outcome), "{}");
  EXPECT_EQ(logs_response_protobuf(outcome), "");
  outcome.reject(3, {Code::invalid, "no \"x\""});
  EXPECT_EQ(logs_response_json(outcome),
            R"({"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"record 3: no \"x\""}})");
  EXPECT_EQ(logs_response_protobuf(outcome), "\x0a\x14\x08\x01\x12\x10record 3: no \"x\"");
  for (std::size_t i = 4; i < 30; ++i) outcome.reject(i, {Code::invalid, "y"});
  EXPECT_TRUE(logs_response_json(outcome).ends_with("record 22: y; and 7 more\"}}"));
  EXPECT_EQ(status_json(400, "m"), R"({"code":3,"message":"m"})");
  EXPECT_EQ(status_json(503, "m"), R"({"code":14,"message":"m"})");
  EXPECT_EQ(status_protobuf(429, "m"), "\x08\x08\x12\x01m");
}

}  // namespace
}  // namespace varve::protocol::otlp
