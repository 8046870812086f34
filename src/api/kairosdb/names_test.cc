// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/routes.h"

#include "api/testing/memory_api.h"

namespace varve::api {
namespace {

using model::Value;

class KairosdbNamesTest : public testing::MemoryApi {
 protected:
  KairosdbNamesTest() : MemoryApi("/api/v1/") {
    add_kairosdb_routes(router_, whole_.of(engine_, pool_, metrics_));
    put("cpu.idle", {{"host", "a"}, {"dc", "x"}}, 100);
    put("cpu.idle", {{"host", "b"}}, 200);
    put("cpu.user", {{"host", "b"}, {"dc", "y"}}, 300);
    put("mem", {{"rack", "b1"}}, -5);
    put("mem", {{"rack", "b1"}}, 400);
  }
  void put(std::string_view metric, const model::TagViews& tags, model::Timestamp time) {
    store_.put("t", metric, tags, time, Value::of_long(1));
  }
};

TEST_F(KairosdbNamesTest, OfATimeRange) {
  EXPECT_EQ(get("metricnames?start=250"), R"({"results":["cpu.user","mem"]})");
  EXPECT_EQ(get("metricnames?end=99"), R"({"results":["mem"]})");
  EXPECT_EQ(get("metricnames?start=200&end=200"), R"({"results":["cpu.idle","mem"]})");  // both inclusive
  EXPECT_EQ(get("metricnames?start=201&end=299"), R"({"results":["mem"]})");             // seen before and after
  EXPECT_EQ(get("metricnames?start=101&end=200&prefix=cpu"), R"({"results":["cpu.idle"]})");
  EXPECT_EQ(get("metricnames?start=401"), R"({"results":[]})");
  EXPECT_EQ(get("tagnames?start=150&metric=cpu.idle"), R"({"results":["host"]})");
  EXPECT_EQ(get("tagnames?start=150"), R"({"results":["dc","host","rack"]})");
  EXPECT_EQ(get("tagnames?end=50"), R"({"results":["rack"]})");
  EXPECT_EQ(get("tagvalues?tag=host&start=150"), R"({"results":["b"]})");
  EXPECT_EQ(get("tagvalues?tag=host&metric=cpu.idle&end=150"), R"({"results":["a"]})");
  EXPECT_EQ(get("tagvalues?end=150"), R"({"results":["a","b1","x"]})");
}

TEST_F(KairosdbNamesTest, ByPrefix) {
  EXPECT_EQ(get("tagnames?prefix=h"), R"({"results":["host"]})");
  EXPECT_EQ(get("tagvalues?prefix=b"), R"({"results":["b","b1"]})");
  EXPECT_EQ(get("tagvalues?prefix=b&tag=host"), R"({"results":["b"]})");
  EXPECT_EQ(get("tagvalues?prefix=b&start=0&end=100"), R"({"results":["b1"]})");
}

TEST_F(KairosdbNamesTest, Pages) {
  EXPECT_EQ(get("metricnames?limit=2"), R"({"results":["cpu.idle","cpu.user"],"next":"cpu.user"})");
  EXPECT_EQ(get("metricnames?limit=2&after=cpu.user"), R"({"results":["mem"]})");
  EXPECT_EQ(get("metricnames?limit=3"), R"({"results":["cpu.idle","cpu.user","mem"]})");
  EXPECT_EQ(get("metricnames?limit=0"), R"({"results":["cpu.idle","cpu.user","mem"]})");
  EXPECT_EQ(get("metricnames?after=zzz"), R"({"results":[]})");
  EXPECT_EQ(get("metricnames?limit=1&start=250"), R"({"results":["cpu.user"],"next":"cpu.user"})");
  EXPECT_EQ(get("metricnames?limit=1&start=250&after=cpu.user"), R"({"results":["mem"]})");
  EXPECT_EQ(get("tagnames?limit=1&after=dc"), R"({"results":["host"],"next":"host"})");
  EXPECT_EQ(get("tagvalues?limit=2&start=150"), R"({"results":["b","b1"],"next":"b1"})");
  EXPECT_EQ(get("tagvalues?limit=2&start=150&after=b1"), R"({"results":["y"]})");
  EXPECT_EQ(get("tagvalues?limit=2&after=a"), R"({"results":["b","b1"],"next":"b1"})");
  EXPECT_EQ(get("tagvalues?limit=2&after=b~"), R"({"results":["x","y"]})");
  EXPECT_EQ(get("tagvalues?limit=1&prefix=b&after=a"), R"({"results":["b"],"next":"b"})");
  EXPECT_EQ(get("tagvalues?limit=1&prefix=b&after=b"), R"({"results":["b1"]})");
  EXPECT_EQ(get("tagvalues?limit=1&prefix=b&after=c"), R"({"results":[]})");
  EXPECT_EQ(get("tagvalues?limit=1&tag=host&after=a0&metric=cpu.idle"), R"({"results":["b"]})");
  EXPECT_EQ(get("tagnames?limit=1&prefix=h&start=150&after=d"), R"({"results":["host"]})");
  EXPECT_EQ(get("tagvalues?tag=host&after="), R"({"results":["a","b"]})");
}

TEST_F(KairosdbNamesTest, Refused) {
  for (const char* const target :
       {"metricnames?limit=x", "tagnames?limit=-1", "tagvalues?limit=100001", "metricnames?start=now",
        "tagnames?end=", "tagvalues?start=9007199254740993", "metricnames?start=2&end=1"}) {
    for (const char* const tenant : {"t", "nobody"}) {
      const Response response = ask(target, tenant);
      EXPECT_EQ(response.status, 400) << target;
      EXPECT_TRUE(response.body.starts_with(R"({"errors":[")")) << response.body;
    }
  }
  EXPECT_EQ(get("metricnames?start=1&end=1", "nobody"), R"({"results":[]})");
  EXPECT_EQ(ask("metricnames", "").status, 400);
}

TEST_F(KairosdbNamesTest, AClientThatIsGoneGetsNoWork) {
  Request request;
  request.tenant = "t";
  request.path = "/api/v1/metricnames";
  request.query = {{"start", "1"}};
  request.gone = std::make_shared<std::atomic<bool>>(true);
  EXPECT_EQ(answer_of(router_, request).status, 503);
}

// However few of them are listed: all tags that were seen are held at once.
TEST_F(KairosdbNamesTest, TagsOfATimeRangeAreWithinItsMemory) {
  for (int i = 0; i < 1000; ++i) put("wide", {{"id", std::to_string(i)}}, 500);
  query::Engine engine(store_, store_, clock_, {.memory_bytes = 60'000});
  router_ = {};
  add_kairosdb_routes(router_, whole_.of(engine, pool_, metrics_));
  const Response response = ask("tagvalues?start=450&prefix=none");
  EXPECT_EQ(response.status, 422) << response.body;
  EXPECT_NE(response.body.find("query.memory"), std::string::npos) << response.body;
  EXPECT_EQ(get("tagvalues?end=450&prefix=y"), R"({"results":["y"]})");
}

}  // namespace
}  // namespace varve::api
