// SPDX-License-Identifier: Apache-2.0
// Answers of Ceres and OpenTSDB whose samples are read while they are sent: the same text as one that is made in
// memory, in less of it. KairosDB's: kairosdb/sliced_query_test.cc.
#include <gtest/gtest.h>

#include "api/ceres/routes.h"
#include "api/opentsdb/routes.h"
#include "api/testing/sliced_fixture.h"
#include "http/url.h"

namespace varve::api {
namespace {

using model::Value;

class SlicedAnswersTest : public testing::SlicedFixture {
 protected:
  SlicedAnswersTest() {
    add_routes(router_, engine_, metrics_);
    add_routes(sliced_router_, sliced_, sliced_metrics_);
  }
  void add_routes(Router& router, query::Engine& engine, Metrics& metrics) {
    add_opentsdb_routes(router, whole_.of(engine, pool_, metrics));
    add_ceres_routes(router, whole_.of(engine, pool_, metrics));
  }
  static Request get(const std::string& target) {
    Request request;
    request.method = Method::get;
    request.tenant = "default";
    EXPECT_TRUE(http::parse_target(target, request.path, request.query)) << target;
    return request;
  }
  void expect_same(const std::string& target) {
    const Response whole = ask(get(target));
    const Response sliced = ask_sliced(get(target));
    ASSERT_EQ(whole.status, 200) << whole.body;
    EXPECT_EQ(sliced.status, 200) << sliced.body;
    EXPECT_EQ(sliced.body, whole.body) << target;
    EXPECT_EQ(header_of(sliced, "Varve-Read").empty(), header_of(whole, "Varve-Read").empty());
  }
};

TEST_F(SlicedAnswersTest, GiveTheSameText) {
  put_random("m", 10'000);
  put_random("n", 2000);
  put("small", {{"host", "a"}}, 1, Value::of_long(1));
  for (int i = 0; i < 3000; ++i) put("recent", {{"host", "a"}}, 1'700'000'000'000 + i * 2, Value::of_long(i));
  for (const char* const target : {
           "/api/query?metricName=m&start=0&end=200000",
           "/api/query?metricName=m&start=0&end=200000&tag=rack=1",
           "/api/query?metricName=m&start=2&end=4",
           "/api/query?metricName=small&start=0&end=200000",
           "/api/query?metricName=nothing&start=0&end=200000",
           "/api/query?start=0&end=200000&m=none:m&ms",
           "/api/query?start=0&end=200000&m=none:m",                          // by the second
           "/api/query?start=1700000001500&end=1700000003700&m=none:recent",  // neither begins nor ends with a second
           "/api/query?start=1700000001500&end=1700000003700&m=none:recent&ms",
           "/api/query?start=0&end=200000&m=none:m{host=*}&arrays&show_query",
           "/api/query?start=0&end=200000&m=none:small&m=none:m{rack=1}&m=none:nothing&m=none:n&ms",
       }) {
    expect_same(target);
  }
  // They were sliced, so memory for all is not there.
  EXPECT_EQ(ask_sliced(get("/api/query?start=0&end=200000&m=sum:m&ms")).status, 422);
  EXPECT_EQ(ask_sliced(get("/api/query?start=0&end=200000&m=none:rate:m&ms")).status, 422);
}

TEST_F(SlicedAnswersTest, TheSummaryCountsTheSame) {
  put_random("m", 10'000);
  const auto counts_of = [](const std::string& body) {
    return body.substr(body.find("statsSummary"), body.find("samplesRead") - body.find("statsSummary"));
  };
  const Request request = get("/api/query?start=0&end=200000&m=none:m&show_summary&ms");
  EXPECT_EQ(counts_of(ask_sliced(request).body), counts_of(ask(request).body));
  EXPECT_NE(ask(request).body.find("rawDatapoints"), std::string::npos);
}

// Each is a group of its own: many are read at once, whatever lies between the slices of a large one.
TEST_F(SlicedAnswersTest, ManySmallSeriesAmongLargeOnes) {
  for (int host = 0; host < 60; ++host) {
    const std::string name = std::to_string(host);
    for (int i = 0; i < (host % 7 == 3 ? 100 : 3); ++i) {
      put("m", {{"host", name}}, host * 400 + i * 300, Value::of_long(i));
    }
    if (host < 5) put("few", {{"host", name}}, host, Value::of_long(-host));
  }
  const std::size_t before = second_.scans();
  for (const char* const target : {"/api/query?metricName=m&start=0&end=200", "/api/query?start=0&end=200&m=none:m",
                                   "/api/query?start=0&end=200&m=none:few&m=none:m&m=none:few&ms"}) {
    expect_same(target);
  }
  EXPECT_LT(second_.scans() - before, 3 * 60U) << "less than one for each series";
}

// Only numbers are shown: what is none makes the answer come as a whole.
TEST_F(SlicedAnswersTest, WhatIsNoNumberIsNotShown) {
  put_random("m", 400);
  put("m", {{"host", "a"}}, 7, Value::of_string("up"));
  put("m", {{"host", "z"}}, 7, Value::of_string("up"));
  expect_same("/api/query?metricName=m&start=0&end=200000");
  expect_same("/api/query?start=0&end=200000&m=none:m&ms");
}

}  // namespace
}  // namespace varve::api
