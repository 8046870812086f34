// SPDX-License-Identifier: Apache-2.0
#include "migrate/server_target.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <limits>

#include "migrate/server_texts.h"

namespace varve::migrate {
namespace {

using model::Value;

// Answers what it was told to, in turn, and keeps what was asked.
struct Server {
  std::deque<ServerAnswer> answers;
  std::string asked;
  ServerCall call = [this](std::string_view method, std::string_view path,
                           const std::string& body) -> Result<ServerAnswer> {
    asked += std::string(method) + " " + std::string(path) + " " + body + "\n";
    if (answers.empty()) return fail(Code::invalid, "asked too often");
    const ServerAnswer answer = answers.front();
    answers.pop_front();
    return answer;
  };
};

class ServerTargetTest : public ::testing::Test {
 protected:
  Server server;
  ServerTarget target{server.call};
  std::atomic<bool> stopping = false;
  std::string told;
  const Refused refused = [this](const Refusal& r) { told += std::string(r.key) + (r.too_old ? " old\n" : " bad\n"); };
  const std::unique_ptr<Sink> sink = target.sink(stopping, refused);
  const model::Tags tags{{"a", "b"}};
};

TEST_F(ServerTargetTest, WhatIsRefusedIsLeftOutAndTheRestIsSentAgain) {
  server.answers = {
      {503, "starting"}, {400, R"({"errors":["metric[0](name=m).datapoints[0].timestamp is older than"]})"}, {204, ""}};
  ASSERT_TRUE(sink->begin({"k", "m", tags}));
  ASSERT_TRUE(sink->add(1, Value::of_long(1)));
  ASSERT_TRUE(sink->add(2, Value::of_long(2)));
  ASSERT_TRUE(sink->flush());
  ASSERT_TRUE(sink->flush());  // nothing more
  const std::string both = R"(POST /api/v1/datapoints [{"name":"m","tags":{"a":"b"},"datapoints":[[1,1],[2,2]]}])";
  EXPECT_EQ(server.asked, both + "\n" + both + "\n" +
                              R"(POST /api/v1/datapoints [{"name":"m","tags":{"a":"b"},"datapoints":[[2,2]]}])" + "\n");
  EXPECT_EQ(told, "k old\n");
}

TEST_F(ServerTargetTest, ARefusalThatNamesNothingEndsIt) {
  for (const ServerAnswer& answer : {ServerAnswer{400, R"({"errors":["no tenant"]})"}, ServerAnswer{400, "what?"},
                                     ServerAnswer{404, ""}, ServerAnswer{413, ""}}) {
    server.answers = {answer};
    const auto other = target.sink(stopping, refused);
    ASSERT_TRUE(other->begin({"k", "m", tags}));
    ASSERT_TRUE(other->add(1, Value::of_long(1)));
    const Status done = other->flush();
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("POST /api/v1/datapoints: " + std::to_string(answer.status)),
              std::string::npos);
  }
}

TEST_F(ServerTargetTest, DoublesThatAreNoNumbers) {
  EXPECT_EQ(sink->why_not(Value::of_double(1)), "");
  EXPECT_EQ(sink->why_not(Value::of_string("x")), "");
  EXPECT_NE(sink->why_not(Value::of_double(std::numeric_limits<double>::quiet_NaN())), "");
  EXPECT_NE(sink->why_not(Value::of_double(-std::numeric_limits<double>::infinity())), "");
}

TEST_F(ServerTargetTest, Counts) {
  server.answers = {
      {200, R"({"queries":[{"sample_size":11,"results":[{"values":[[1,5]]}]}]})"}, {200, "{}"}, {400, "{}"}};
  EXPECT_EQ(target.held("m", {.first = -5, .last = 10}, stopping), 11U);
  EXPECT_EQ(
      server.asked,
      R"(POST /api/v1/datapoints/query {"start_absolute":-5,"end_absolute":9,"metrics":[{"name":"m","aggregators":)"
      R"([{"name":"count","sampling":{"value":1000000,"unit":"years"}}]}]})"
      "\n");
  EXPECT_FALSE(target.held("m", {}, stopping));
  EXPECT_FALSE(target.held("m", {}, stopping));
}

TEST_F(ServerTargetTest, TextsAndTasks) {
  server.answers = {{200, R"([{"id":"1","name":"there"}])"}, {204, ""}, {400, R"({"errors":["no"]})"}, {200, "{}"}};
  const std::vector<ServiceText> texts = {{"s", "k/1", "a b", "text"},
                                          {"s", "k", "c", "bad"},
                                          {"_Rollups", "Config", "id1", R"({"name":"there"})"},
                                          {"_Rollups", "Config", "id2", R"({"name":"new"})"},
                                          {"_Rollups", "Assignment", "id2", "host"}};
  const auto totals = copy_texts(texts, server.call, stopping, [&](const std::string& why) { told += why; });
  ASSERT_TRUE(totals);
  EXPECT_EQ(server.asked,
            "GET /api/v1/rollups \nPOST /api/v1/metadata/s/k%2F1/a%20b text\nPOST /api/v1/metadata/s/k/c bad\n"
            "POST /api/v1/rollups {\"name\":\"new\"}\n");
  EXPECT_EQ(told, R"(/api/v1/metadata/s/k/c: POST /api/v1/metadata/s/k/c: 400 {"errors":["no"]})");
  EXPECT_EQ((std::array{totals->texts, totals->tasks, totals->known, totals->refused}),
            (std::array<std::uint64_t, 4>{1, 1, 1, 1}));
}

}  // namespace
}  // namespace varve::migrate
