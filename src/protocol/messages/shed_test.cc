// SPDX-License-Identifier: Apache-2.0
// What overload drops, in each protocol: the others of its request are kept.
#include <gtest/gtest.h>

#include "message/id.h"
#include "protocol/elasticsearch/bulk.h"
#include "protocol/loki/push.h"
#include "protocol/messages/messages_text.h"
#include "protocol/otlp/logs.h"

namespace varve::protocol::messages {
namespace {

Limits shed_from(std::int64_t level) {
  Limits limits;
  limits.shed = std::make_shared<Shed>();
  limits.shed->level = level;
  limits.shed->why = "full";
  return limits;
}

std::string padded(std::string text) { return text.append(kBodyPadding, '\0'); }

TEST(Shed, Ndjson) {
  const std::string body = R"({"time":1,"level":"debug","text":"a"})"
                           "\n"
                           R"({"time":2,"level":"err","text":"b"})"
                           "\n"
                           R"({"time":3,"text":"none"})"
                           "\n"
                           R"({"time":4,"level":0,"kind":"uve","text":"u"})"
                           "\n"
                           R"({"time":5,"level":"loud"})"
                           "\n"
                           R"({"level":-1,"text":"c","x":{"y":[1]}})";
  const std::string bytes = padded(body);
  for (const Way way : {Way::fast, Way::general}) {
    Options options;
    options.limits = shed_from(6);
    options.now_us = 9;
    options.way = way;
    message::Batch batch;
    const Outcome outcome = parse_messages({bytes.data(), body.size()}, options, batch);
    EXPECT_EQ(text_of(batch, outcome),
              "2 level=3 text='b' | 9 level=-1 text='c' x.y=[1] | ! 1: full | ! 3: full | ! 4: full | "
              "! 5: level 'loud' is neither a number nor the name of one");
    EXPECT_EQ(outcome.accepted, 2U);
    EXPECT_EQ(outcome.count(Code::unavailable), 3U);
    const std::array<std::uint64_t, 9> dropped{1, 0, 0, 0, 0, 0, 0, 1, 1};
    EXPECT_EQ(options.limits.shed->dropped, dropped);
  }
}

TEST(Shed, Loki) {
  const std::string body =
      R"({"streams":[{"stream":{"a":"b","level":"debug"},"values":[["1000","d"]]},)"
      R"({"stream":{"a":"b","level":"warn"},"values":[["2000","w"],["3000","v",{"level":"debug"}]]}]})";
  const std::string bytes = padded(body);
  const Limits limits = shed_from(7);
  message::Batch batch;
  ASSERT_TRUE(loki::parse_push_json({bytes.data(), body.size()}, limits, batch));
  EXPECT_EQ(batch.rows(), 2U);
  EXPECT_EQ(limits.shed->dropped[7], 1U);
  EXPECT_EQ(limits.shed->total(), 1U);
}

TEST(Loki, AnEntryHasAnIdOfWhatItSays) {
  const Limits limits;
  const auto ids_of = [&](std::string_view streams) {
    const std::string bytes = padded("{\"streams\":[" + std::string(streams) + "]}");
    message::Batch batch;
    EXPECT_TRUE(loki::parse_push_json({bytes.data(), bytes.size() - kBodyPadding}, limits, batch)) << streams;
    std::vector<message::Id> ids;
    for (const auto* at = batch.bytes().data(); at != batch.bytes().data() + batch.bytes().size();) {
      EXPECT_TRUE(message::has_lasting_id({at}));
      ids.push_back(message::id_of(message::RowView{at}));
      at += message::RowView{at}.bytes();
    }
    return ids;
  };
  const auto ids = ids_of(R"({"stream":{"a":"b"},"values":[["1000","x"],["1000","x"]]})");
  EXPECT_EQ(ids[0], ids[1]);
  for (const char* other :
       {R"({"stream":{"a":"b"},"values":[["1001","x"]]})", R"({"stream":{"a":"b"},"values":[["1000","y"]]})",
        R"({"stream":{"a":"c"},"values":[["1000","x"]]})", R"({"stream":{"ab":""},"values":[["1000","x"]]})",
        R"({"stream":{"a":"b"},"values":[["1000","x",{"m":"n"}]]})"}) {
    EXPECT_NE(ids_of(other).at(0), ids[0]) << other;
  }
  EXPECT_EQ(ids_of(R"({"stream":{"a":"b"},"values":[["1000","x"]]})").at(0), ids[0]);
  EXPECT_EQ(ids_of(R"({"stream":{"a":"b","c":"d"},"values":[["1000","x"]]})"),
            ids_of(R"({"stream":{"c":"d","a":"b"},"values":[["1000","x"]]})"));
}

TEST(Shed, Otlp) {
  const std::string body = R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[)"
                           R"({"timeUnixNano":"1000","severityNumber":5,"body":{"stringValue":"d"}},)"
                           R"({"timeUnixNano":"2000","severityNumber":17,"body":{"stringValue":"e"}},)"
                           R"({"severityNumber":9,"body":{"stringValue":"i"}}]}]}]})";
  otlp::LogOptions options;
  options.limits = shed_from(6);
  message::Batch batch;
  const auto outcome = otlp::parse_logs_json(body, options, batch);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(text_of(batch, *outcome), "2 level=3 text='e' | ! 1: full | ! 3: full");
  EXPECT_EQ(outcome->count(Code::unavailable), 2U);
}

TEST(Shed, Bulk) {
  const std::string body =
      "{\"create\":{\"_index\":\"i\"}}\n{\"log.level\":\"info\",\"message\":\"a\"}\n"
      "{\"create\":{\"_index\":\"i\"}}\n{\"log.level\":\"error\",\"message\":\"b\"}\n";
  const std::string bytes = padded(body);
  elasticsearch::BulkOptions options;
  options.limits = shed_from(6);
  message::Batch batch;
  const auto bulk = elasticsearch::parse_bulk({bytes.data(), body.size()}, options, batch);
  ASSERT_TRUE(bulk);
  EXPECT_EQ(batch.rows(), 1U);
  EXPECT_EQ(
      bulk->items,
      R"({"create":{"_index":"i","status":429,"error":{"type":"es_rejected_execution_exception","reason":"full"}}},)"
      R"({"create":{"_index":"i","result":"created","status":201}})");
}

}  // namespace
}  // namespace varve::protocol::messages
