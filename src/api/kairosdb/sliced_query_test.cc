// SPDX-License-Identifier: Apache-2.0
// Answers whose samples are read while they are sent: the same text as one that is made in memory, in less of it.
#include <gtest/gtest.h>

#include <deque>

#include "api/kairosdb/routes.h"
#include "api/testing/sliced_fixture.h"

namespace varve::api {
namespace {

using model::Value;

class SlicedQueryTest : public testing::SlicedFixture {
 protected:
  SlicedQueryTest() {
    add_kairosdb_routes(router_, whole_.of(engine_, pool_, metrics_));
    add_kairosdb_routes(sliced_router_, whole_.of(sliced_, pool_, sliced_metrics_));
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

  std::deque<std::string> bodies_;
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
    const std::size_t before = second_.scans();
    const Response sliced = ask_sliced(request);
    ASSERT_EQ(whole.status, 200) << whole.body;
    EXPECT_EQ(sliced.status, 200) << sliced.body;
    EXPECT_EQ(sliced.body, whole.body) << metrics;
    EXPECT_GE(second_.scans() - before, 50U) << metrics;
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

// Groups that are small are read many at once, and stand many in a piece.
TEST_F(SlicedQueryTest, SmallGroupsComeTogether) {
  for (int host = 0; host < 600; ++host) {
    const std::string name = std::to_string(host);
    for (int i = 0; i < (host == 300 ? 60 : 2); ++i) put("m", {{"host", name}}, host * 3 + i, Value::of_long(i));
  }
  query::Engine small(second_, second_, clock_, {.memory_bytes = 1 << 20, .slice_bytes = 64 << 10});
  Router router;
  add_kairosdb_routes(router, whole_.of(small, pool_, sliced_metrics_));
  std::swap(router, sliced_router_);
  const Request request = request_of(R"({"name":"m","group_by":[{"name":"tag","tags":["host"]}]})");
  const std::size_t before = second_.scans();
  EXPECT_EQ(ask_sliced(request).body, ask(request).body);
  EXPECT_LT(second_.scans() - before, 10U);
  EXPECT_LE(pieces_, 3U);
}

TEST_F(SlicedQueryTest, EndsWithinASliceWhereNobodyWaits) {
  put_random("m", 40'000);
  Request request = request_of(R"({"name":"m"})");
  request.gone = std::make_shared<std::atomic<bool>>(false);
  const auto sink = std::make_shared<WaitingSink>();
  sliced_router_.find(request).route->handler(request, Responder(sink));
  Response response = sink->wait();
  ASSERT_EQ(response.status, 200);
  EXPECT_NE(response.pool, nullptr) << "slices are read where questions are answered";
  const auto read = std::ranges::find(response.headers, "Varve-Read", [](const auto& header) { return header.first; });
  ASSERT_NE(read, response.headers.end());
  EXPECT_TRUE(read->second.starts_with("series=4, ")) << read->second;
  *request.gone = true;
  std::string piece;
  const Status status = response.more(piece);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::cancelled);
}

TEST_F(SlicedQueryTest, AFailureEndsTheAnswer) {
  put_random("m", 40'000);
  Request request = request_of(R"({"name":"m"})");
  // Two scans find that there is much, and count; the next is that of the first slice.
  for (const int scans : {0, 1, 2}) {
    second_.fail_after(scans);
    EXPECT_EQ(ask_sliced(request).status, 500) << scans;
  }
  second_.fail_after(1'000'000);
  const std::size_t before = second_.scans();
  ask_sliced(request);
  EXPECT_GE(pieces_, 1U) << "behind the first one";
  second_.fail_after(static_cast<std::int64_t>(second_.scans() - before) - 1);  // in the last piece
  const auto sink = std::make_shared<WaitingSink>();
  sliced_router_.find(request).route->handler(request, Responder(sink));
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
