// SPDX-License-Identifier: Apache-2.0
// Answers whose samples are read while they are sent: the same text as one that is made in memory, in less of it.
#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <random>

#include "api/kairosdb/query.h"
#include "api/testing/query_script.h"

namespace varve::api {
namespace {

using model::Value;

class SlicedQueryTest : public testing::QueryScript {
 protected:
  static constexpr std::size_t kSliceBytes = 4096;
  static constexpr std::size_t kMemoryBytes = 64 << 10;  // not enough for all at once

  SlicedQueryTest() {
    add_kairosdb_query(router_, engine_, pool_, metrics_);
    add_kairosdb_query(sliced_router_, sliced_, pool_, sliced_metrics_);
  }

  void put(std::string_view metric, const model::TagViews& tags, model::Timestamp time, const Value& value) {
    for (auto* const store : {&store_, &second_}) store->put("default", metric, tags, time, value);
  }
  // Several hosts, one without a rack; longs, doubles and NaN; many at the same time; a long pause.
  void put_random(std::string_view metric, std::size_t samples) {
    std::mt19937 random(7);
    const std::vector<model::TagViews> all{{{"host", "a"}, {"rack", "1"}},
                                           {{"host", "b"}, {"rack", "1"}},
                                           {{"host", "c"}, {"rack", "2"}},
                                           {{"host", "d"}}};
    for (std::size_t i = 0; i < samples; ++i) {
      const auto time = static_cast<model::Timestamp>(random() % 5000) + (random() % 2 != 0 ? 100'000'000 : 0);
      const Value value = random() % 20 == 0  ? Value::of_double(std::numeric_limits<double>::quiet_NaN())
                          : random() % 2 == 0 ? Value::of_double(static_cast<double>(random() % 1000) / 8)
                                              : Value::of_long(static_cast<std::int64_t>(random() % 1000));
      put(metric, all[random() % all.size()], time, value);
    }
  }
  Request request_of(const std::string& metrics, const std::string& more = "") {
    Request request;
    request.method = Method::post;
    request.path = "/api/v1/datapoints/query";
    request.tenant = "default";
    request.body = bodies_.emplace_back(R"({"start_absolute":0,"end_absolute":200000000)" + more + R"(,"metrics":[)" +
                                        metrics + "]}");
    return request;
  }
  Response ask_sliced(const Request& request) {
    std::size_t pieces = 0;
    Response response = answer_of(sliced_router_, request, pieces);
    pieces_ = pieces;
    return response;
  }

  std::deque<std::string> bodies_;
  storage::testing::MemoryStore second_;
  query::Engine sliced_{second_, second_, clock_, {.memory_bytes = kMemoryBytes, .slice_bytes = kSliceBytes}};
  Metrics sliced_metrics_;
  Router sliced_router_;
};

TEST_F(SlicedQueryTest, GivesTheSameText) {
  put_random("m", 10'000);
  put_random("small", 5);
  const std::string by_host = R"("group_by":[{"name":"tag","tags":["host"]}])";
  const std::string by_both = R"("group_by":[{"name":"tag","tags":["rack","host"]}])";
  for (const std::string& metrics : {
           std::string(R"({"name":"m"})"),
           std::string(R"({"name":"m","order":"desc"})"),
           R"({"name":"m",)" + by_host + "}",
           R"({"name":"m","order":"desc",)" + by_both + "}",
           std::string(R"({"name":"small"},{"name":"m","tags":{"host":["a","d"]}},{"name":"none"},{"name":"m"})"),
           R"({"name":"none"},{"name":"m","exclude_tags":true,)" + by_host + R"(},{"name":"small"})",
       }) {
    const Request request = request_of(metrics);
    const Response whole = ask(request);
    const Response sliced = ask_sliced(request);
    ASSERT_EQ(whole.status, 200) << whole.body;
    EXPECT_EQ(sliced.status, 200) << sliced.body;
    EXPECT_EQ(sliced.body, whole.body) << metrics;
    EXPECT_GE(pieces_, 50U) << metrics;
  }
}

// Where samples are no numbers, or are to be computed with, all are needed at once.
TEST_F(SlicedQueryTest, WhatDoesNotComeInSlicesIsBoundedByMemory) {
  put_random("m", 10'000);
  put("m", {{"host", "a"}}, 7, Value::of_string("up"));
  for (const char* const metrics :
       {R"({"name":"m"})", R"({"name":"m","limit":9000})", R"({"name":"m","aggregators":[{"name":"diff"}]})"}) {
    EXPECT_EQ(ask(request_of(metrics)).status, 200);
    EXPECT_EQ(ask_sliced(request_of(metrics)).status, 422) << metrics;
  }
  const Request few = request_of(R"({"name":"m","tags":{"host":["a"]}})", R"(,"end_absolute":1000)");
  EXPECT_EQ(ask_sliced(few).body, ask(few).body);
}

TEST_F(SlicedQueryTest, OneMillisecondComesAsAWhole) {
  for (int host = 0; host < 150; ++host) {
    const std::string name = std::to_string(host);
    put("m", {{"host", name}}, 5000, Value::of_long(host));
    put("m", {{"host", name}}, host, Value::of_long(host));
  }
  const Request request = request_of(R"({"name":"m"})");
  EXPECT_EQ(ask_sliced(request).body, ask(request).body);
}

TEST_F(SlicedQueryTest, AFailureEndsTheAnswer) {
  put_random("m", 10'000);
  const Request request = request_of(R"({"name":"m"})");
  // Two scans find that there is much, and count; the next is that of the first slice.
  for (const int scans : {0, 1, 2}) {
    second_.fail_after(scans);
    EXPECT_EQ(ask_sliced(request).status, 500) << scans;
  }
  second_.fail_after(60);
  const auto sink = std::make_shared<WaitingSink>();
  const Router::Match found = sliced_router_.find(request.method, request.path, request.name_slashes);
  (*found.handler)(request, Responder(sink));
  Response response = sink->wait();
  EXPECT_EQ(response.status, 200);
  Status status;
  std::string piece = "begin";
  for (int pieces = 0; status && !piece.empty() && pieces < 1000; ++pieces) status = response.more(piece);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "the disk is gone");
}

}  // namespace
}  // namespace varve::api
