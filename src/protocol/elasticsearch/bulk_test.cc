// SPDX-License-Identifier: Apache-2.0
#include "protocol/elasticsearch/bulk.h"

#include <gtest/gtest.h>

#include "protocol/elasticsearch/bulk_text.h"
#include "protocol/json/tree.h"

namespace varve::protocol::elasticsearch {
namespace {

struct BulkCase {
  std::string body;
  std::string want;
};

// One document behind a plain action.
std::string document(std::string_view json) { return "{\"create\":{}}\n" + std::string(json) + "\n"; }

void expect_bulks(std::initializer_list<BulkCase> cases) {
  for (const auto& [body, want] : cases) EXPECT_EQ(bulk_text(body), want) << body;
}
void expect_documents(std::initializer_list<BulkCase> cases) {
  for (const auto& [json, want] : cases) EXPECT_EQ(bulk_text(document(json)), want) << json;
}

TEST(Bulk, Columns) {
  expect_documents({
      {R"({"@timestamp":"1970-01-01T00:00:01.5Z","message":"a line","host":{"name":"h","os":"x"},"log":{"level":"WARN","logger":"l"},"service":{"name":"s"},"process":{"name":"p","pid":7}})",
       "1500000 source='h' module='s' level=4 pid=7 text='a line' host.os='x' log.logger='l' process.name='p'"},
      {R"({"host.name":"h","log.level":"info","service.name":"s","process.pid":7})",
       "7 source='h' module='s' level=6 pid=7"},
      {R"({"process":{"name":"p"}})", "7 module='p'"},
      {R"({"process.name":"p","service":{"name":"s"}})", "7 module='s' process.name='p'"},
      {R"({"source":"a","module":"b","text":"c","level":"info","time":5})",
       "7 source='a' module='b' text='c' level='info' time=#5"},
      {R"({"a":{"b":{"c":1.50}},"l":[1, {"x":2}],"t":true,"n":null})", "7 a.b.c=#1.50 l=[1, {\"x\":2}] t=true"},
      {"{}", "7"},
      {R"({"message":5})", "7 text='5'"},
  });
}

TEST(Bulk, WhatAColumnDoesNotTakeIsAField) {
  expect_documents({
      {R"({"log":{"level":"loud"}})", "7 log.level='loud'"},
      {R"({"log.level":30})", "7 level=30"},
      {R"({"process":{"pid":"main"}})", "7 process.pid='main'"},
      {R"({"process":{"pid":"12"}})", "7 pid=12"},
      {R"({"process":{"pid":1.5}})", "7 process.pid=#1.5"},
      {R"({"host":{"name":["a","b"]}})", R"(7 host.name=["a","b"])"},
      {R"({"host":{"name":{"x":"y"}}})", "7 host.name.x='y'"},
      {R"({"message":{"x":"y"}})", "7 message.x='y'"},
      {R"({"host":"h"})", "7 host='h'"},
      {R"({"process":{"name":5}})", "7 process.name=#5"},
  });
}

TEST(Bulk, Times) {
  expect_documents({
      {R"({"@timestamp":1500})", "1500000"},
      {R"({"@timestamp":"1500"})", "1500000"},
      {R"({"@timestamp":1500.25})", "1500250"},
      {R"({"@timestamp":"1970-01-01T00:00:01.000000001+00:00"})", "1000000.1"},
      {R"({"@timestamp":"1970-01-01T00:00:01"})", "1000000"},
      {R"({"@timestamp":"1970-01-02"})", "86400000000"},
      {R"({"@timestamp":null})", "7"},
      // Its default format, strict_date_optional_time.
      {R"({"@timestamp":"1970-02"})", "2678400000000"},
      {R"({"@timestamp":"1970-01-02T03"})", "97200000000"},
      {R"({"@timestamp":"1970-01-02T03Z"})", "97200000000"},
      {R"({"@timestamp":"1970-01-02T03:04"})", "97440000000"},
      {R"({"@timestamp":"1970-01-02T03:04Z"})", "97440000000"},
      {R"({"@timestamp":"1970-01-02T03:04:05,678"})", "97445678000"},
      {R"({"@timestamp":"1970-01-02T03:04:05+0200"})", "90245000000"},
      {R"({"@timestamp":"1970-01-02T03:04:05.5+02"})", "90245500000"},
      {R"({"@timestamp":"1970-01-02T03:04-0330"})", "110040000000"},
      {R"({"@timestamp":"1970-01-02T03+02:00"})", "90000000000"},
      {R"({"@timestamp":"yesterday"})",
       "! 0: time 'yesterday' is neither a date as Elasticsearch takes it nor a number"},
      {R"({"@timestamp":"1970-01-02T"})",
       "! 0: time '1970-01-02T' is neither a date as Elasticsearch takes it nor a number"},
      {R"({"@timestamp":"1970-01-02TZ"})",
       "! 0: time '1970-01-02TZ' is neither a date as Elasticsearch takes it nor a number"},
      {R"({"@timestamp":"1970-01-02Z"})",
       "! 0: time '1970-01-02Z' is neither a date as Elasticsearch takes it nor a number"},
      {R"({"@timestamp":"1970-1-2"})", "! 0: time '1970-1-2' is neither a date as Elasticsearch takes it nor a number"},
      {R"({"@timestamp":"1970-01-02T3:04"})",
       "! 0: time '1970-01-02T3:04' is neither a date as Elasticsearch takes it nor a number"},
      {R"({"@timestamp":"1970-01-02T03:04:05+2"})",
       "! 0: time '1970-01-02T03:04:05+2' is neither a date as Elasticsearch takes it nor a number"},
      {R"({"@timestamp":"1970-01-02T03:04:05+02000"})",
       "! 0: time '1970-01-02T03:04:05+02000' is neither a date as Elasticsearch takes it nor a number"},
      {R"({"@timestamp":{}})", "! 0: time takes a number or RFC 3339, not an object"},
      {R"({"@timestamp":-2000})", "! 0: time -2000 is too old"},
      {R"({"@timestamp":4000000000001})", "! 0: time 4000000000001 is too far ahead"},
  });
}

TEST(Bulk, Lines) {
  expect_bulks({
      {"{\"create\":{}}\n{\"a\":1}", "7 a=#1"},
      {"{\"index\":{}}\r\n{\"a\":1}\r\n", "7 a=#1"},
      {"\n{\"create\":{}}\n{\"a\":1}\n\n  \n{\"index\":{}}\n{\"a\":2}\n\n", "7 a=#1 | 7 a=#2"},
      {"{\"create\":{\"_index\":\"logs\"}}\n{\"a\":1}\n", "7 _index='logs' a=#1"},
      {"{\"create\":{\"_id\":\"123e4567-E89B-12d3-a456-426614174000\"}}\n{}\n",
       "7 id=123e4567e89b12d3a456426614174000"},
      {"{\"create\":{\"_id\":\"7\",\"_type\":\"doc\",\"pipeline\":null,\"require_alias\":true}}\n{}\n",
       "7 id=1a51a3024dacbcdcdbfda017c87e2154"},
      {"{\"create\":{\"_id\":7}}\n{}\n", "7 id=1a51a3024dacbcdcdbfda017c87e2154"},
      {"{\"create\":{}}\n{\"a\":1}\n{\"create\":{}}\n{\"a\":\n{\"create\":{}}\n{\"a\":3}\n",
       "7 a=#1 | 7 a=#3 | ! 1: not JSON: End of input at column 6"},
      {"{\"create\":{}}\n[]\n", "! 0: it is not an object"},
      {"{\"create\":{}}\n{}{}\n", "! 0: there is something behind the object"},
      {"{\"delete\":{\"_id\":\"1\"}}\n{\"create\":{}}\n{\"a\":1}\n",
       "7 a=#1 | ! 0: messages are only added: the actions are create and index"},
      {"{\"update\":{\"_id\":\"1\"}}\n{\"doc\":{}}\n{\"create\":{}}\n{\"a\":1}\n",
       "7 a=#1 | ! 0: messages are only added: the actions are create and index"},
      {document("{\"message\":\"" + std::string(message::kTextBytesMax + 1, 'x') + "\"}"),
       "! 0: text has 1048577 bytes; at most 1048576"},
  });
}

TEST(Bulk, Refused) {
  expect_bulks({
      {"", "!! Validation Failed: 1: no requests added;"},
      {"\n\n", "!! Validation Failed: 1: no requests added;"},
      {"hello\n",
       "!! Malformed action/metadata line [1], not JSON: Malformed JSON at "
       "line 1 column 1"},
      {"[]\n{}\n", "!! Malformed action/metadata line [1], expected START_OBJECT but found [START_ARRAY]"},
      {"{}\n{}\n", "!! Malformed action/metadata line [1], expected FIELD_NAME but found [END_OBJECT]"},
      {"{\"create\":{},\"index\":{}}\n{}\n",
       "!! Malformed action/metadata line [1], expected END_OBJECT but found [FIELD_NAME]"},
      {document("{}") + "{\"put\":{}}\n{}\n",
       "!! Malformed action/metadata line [3], expected field [create], [delete], [index] or [update] but found [put]"},
      {"{\"create\":5}\n{}\n", "!! Malformed action/metadata line [1], expected START_OBJECT but found [VALUE_NUMBER]"},
      {"{\"create\":{\"_index\":[]}}\n{}\n",
       "!! Malformed action/metadata line [1], expected a simple value for field [_index] but found [START_ARRAY]"},
      {"{\"create\":{}}\n", "!! action/metadata line [1] has no line with a document behind it"},
      {"{\"create\":{\"_index\":\"" + std::string(256, 'i') + "\"}}\n{}\n",
       "!! action/metadata line [1]: _index is too long, must be no longer than 255 bytes but was: 256"},
  });
  EXPECT_EQ(bulk_text(document("{}"), std::string(256, 'i')),
            "!! _index is too long, must be no longer than 255 bytes");
}

TEST(Bulk, Items) {
  std::string items;
  const std::string body =
      "{\"create\":{\"_id\":\"1\"}}\n{\"a\":1}\n{\"index\":{\"_index\":\"y\"}}\n{\"a\":1}\n{\"index\":{\"_index\":"
      "\"y\"}}\n{\"a\":1}\n"
      "{\"delete\":{}}\n{\"create\":{}}\n5\n";
  EXPECT_TRUE(bulk_text(body, "x", &items)
                  .ends_with("_index='y' a=#1 | ! 3: messages are only added: the actions are create "
                             "and index | ! 4: it is not an object"));
  EXPECT_EQ(
      items,
      R"({"create":{"_index":"x","_id":"1","result":"created","status":201}},)"
      R"({"index":{"_index":"y","result":"created","status":201}},)"
      R"({"index":{"_index":"y","result":"created","status":201}},)"
      R"({"delete":{"_index":"x","status":400,"error":{"type":"illegal_argument_exception","reason":"messages are only added: the actions are create and index"}}},)"
      R"({"create":{"_index":"x","status":400,"error":{"type":"document_parsing_exception","reason":"it is not an object"}}})");
  Bulk bulk;
  bulk.items = "{}";
  EXPECT_EQ(bulk_answer(bulk, 5), R"({"took":5,"errors":false,"items":[{}]})");
  bulk.outcome.reject(0, {Code::invalid, "x"});
  EXPECT_EQ(bulk_answer(bulk, 5), R"({"took":5,"errors":true,"items":[{}]})");
  EXPECT_EQ(
      error_json(400, "r"),
      R"({"error":{"root_cause":[{"type":"illegal_argument_exception","reason":"r"}],"type":"illegal_argument_exception","reason":"r"},"status":400})");
}

TEST(Bulk, NamesOfIndexesDoNotMultiply) {
  std::string body;
  for (int i = 0; i < 100'000; ++i) body += "{\"create\":{}}\n{}\n";
  EXPECT_EQ(bulk_text(body, std::string(255, 'i')),
            "!! a name of an index, repeated for each document, is more than 16777216 bytes");
}

}  // namespace
}  // namespace varve::protocol::elasticsearch
