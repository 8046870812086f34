// SPDX-License-Identifier: Apache-2.0
#include "api/catalog/routes.h"

#include "api/shared/http.h"
#include "api/testing/memory_api.h"

namespace varve::api {
namespace {

using model::Value;

class CatalogTest : public testing::MemoryApi {
 protected:
  CatalogTest() : MemoryApi("") {
    Context context = whole_.of(engine_, pool_, metrics_);
    context.is_counter = [](std::string_view name) { return name.ends_with("bytes"); };
    add_catalog_routes(router_, context);
    store_.put("t", "cpu", {{"host", "a"}}, 1000, Value::of_double(1.5));
    store_.put("t", "cpu", {{"host", "a"}}, 2000, Value::of_long(1));
    store_.put("t", "cpu", {{"host", "b"}, {"os", "x"}}, -5, Value::of_double(1));
    store_.put("t", "in_bytes", {{"host", "a"}}, 1, Value::of_long(7));
    store_.put("t", "mixed", {{"host", "a"}}, 1, Value::of_long(7));
    store_.put("t", "mixed", {{"host", "a"}}, 2, Value::of_string("x"));
    store_.put("t", "state", {{"host", "\"q\""}}, 5, Value::of_string("up"));
    store_.put("other", "secret", {{"host", "z"}}, 5, Value::of_long(1));
  }
};

constexpr const char* kCpu =
    R"({"name":"cpu","kind":"gauge","aggregators":["min","max","avg","sum","count"],"series":2,"types":["long","double"],"first_seen":-5,"last_seen":2000,"points":3})";
constexpr const char* kBytes =
    R"({"name":"in_bytes","kind":"delta counter","aggregators":["sum","count"],"series":1,"types":["long"],"first_seen":1,"last_seen":1,"points":1})";
constexpr const char* kMixed =
    R"({"name":"mixed","kind":"gauge","aggregators":["min","max","avg","sum","count","last"],"series":1,"types":["long","string"],"first_seen":1,"last_seen":2,"points":2})";
constexpr const char* kState =
    R"({"name":"state","kind":"text","aggregators":["count","last"],"series":1,"types":["string"],"first_seen":5,"last_seen":5,"points":1})";

std::string metrics_of(std::initializer_list<const char*> metrics, const std::string& next = {}) {
  std::string out = R"({"metrics":[)";
  for (const char* const metric : metrics) out.append(out.back() == '[' ? "" : ",").append(metric);
  return out + "]" + (next.empty() ? "" : R"(,"next":")" + next + "\"") + "}";
}

TEST_F(CatalogTest, AnswersEndTheirLine) {
  for (const char* const list : {"metrics", "tags", "series?metric=cpu", "windows?metric=cpu&width=1d", "series"}) {
    EXPECT_TRUE(ask(std::string("/api/v1/catalog/") + list).body.ends_with("}\n")) << list;
  }
}

TEST_F(CatalogTest, Metrics) {
  EXPECT_EQ(get("/api/v1/catalog/metrics"), metrics_of({kCpu, kBytes, kMixed, kState}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?prefix=in_"), metrics_of({kBytes}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?prefix=none"), metrics_of({}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?limit=2"), metrics_of({kCpu, kBytes}, "in_bytes"));
  EXPECT_EQ(get("/api/v1/catalog/metrics?limit=2&after=in_bytes"), metrics_of({kMixed, kState}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?limit=0&after=d"), metrics_of({kBytes, kMixed, kState}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?after=zzz"), metrics_of({}));
  EXPECT_EQ(get("/api/v1/catalog/metrics", "nobody"), metrics_of({}));
}

TEST_F(CatalogTest, MetricsOfATimeRange) {
  const std::string cpu =
      R"({"name":"cpu","kind":"gauge","aggregators":["min","max","avg","sum","count"],"series":1,"types":["long","double"],"first_seen":1000,"last_seen":2000,"points":2})";
  EXPECT_EQ(get("/api/v1/catalog/metrics?start=2000"), metrics_of({cpu.c_str()}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?start=1200&end=1800"), metrics_of({cpu.c_str()}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?start=1&end=4"), metrics_of({kBytes, kMixed}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?start=1&end=4&limit=1"), metrics_of({kBytes}, "in_bytes"));
  EXPECT_EQ(get("/api/v1/catalog/metrics?start=1&end=4&limit=1&after=in_bytes"), metrics_of({kMixed}, "mixed"));
  EXPECT_EQ(get("/api/v1/catalog/metrics?start=1&end=4&limit=1&after=mixed"), metrics_of({}));
  EXPECT_EQ(get("/api/v1/catalog/metrics?end=-6"), metrics_of({}));
}

TEST_F(CatalogTest, AMetricThatHasNothingYet) {
  const std::string_view metric[] = {"new"};
  ASSERT_TRUE(store_.define_group(*store_.tenant("t"), {}, metric));
  EXPECT_EQ(
      get("/api/v1/catalog/metrics?prefix=new"),
      R"({"metrics":[{"name":"new","kind":"gauge","aggregators":["min","max","avg","sum","count"],"series":1,"types":[],"first_seen":null,"last_seen":null,"points":0}]})");
}

TEST_F(CatalogTest, Tags) {
  EXPECT_EQ(
      get("/api/v1/catalog/tags?metric=cpu"),
      R"({"tags":[{"key":"host","value":"a","series":1,"first_seen":1000,"last_seen":2000},{"key":"host","value":"b","series":1,"first_seen":-5,"last_seen":-5},{"key":"os","value":"x","series":1,"first_seen":-5,"last_seen":-5}]})");
  EXPECT_EQ(
      get("/api/v1/catalog/tags"),
      R"({"tags":[{"key":"host","value":"\"q\"","series":1},{"key":"host","value":"a","series":3},{"key":"host","value":"b","series":1},{"key":"os","value":"x","series":1}]})");
  EXPECT_EQ(get("/api/v1/catalog/tags?metric=none"), R"({"tags":[]})");
  EXPECT_EQ(get("/api/v1/catalog/tags?metric=secret"), R"({"tags":[]})");
}

TEST_F(CatalogTest, TagsOfATimeRange) {
  EXPECT_EQ(get("/api/v1/catalog/tags?metric=cpu&start=0"),
            R"({"tags":[{"key":"host","value":"a","series":1,"first_seen":1000,"last_seen":2000}]})");
  EXPECT_EQ(
      get("/api/v1/catalog/tags?start=1&end=5"),
      R"({"tags":[{"key":"host","value":"\"q\"","series":1,"first_seen":5,"last_seen":5},{"key":"host","value":"a","series":2,"first_seen":1,"last_seen":2}]})");
  EXPECT_EQ(get("/api/v1/catalog/tags?end=-6"), R"({"tags":[]})");
}

TEST_F(CatalogTest, PagesOfTags) {
  EXPECT_EQ(
      get("/api/v1/catalog/tags?limit=2"),
      R"({"tags":[{"key":"host","value":"\"q\"","series":1},{"key":"host","value":"a","series":3}],"next":"4:hosta"})");
  EXPECT_EQ(get("/api/v1/catalog/tags?limit=2&after=4:hosta"),
            R"({"tags":[{"key":"host","value":"b","series":1},{"key":"os","value":"x","series":1}]})");
  EXPECT_EQ(get("/api/v1/catalog/tags?metric=cpu&limit=1&after=4:hosta"),
            R"({"tags":[{"key":"host","value":"b","series":1,"first_seen":-5,"last_seen":-5}],"next":"4:hostb"})");
  EXPECT_EQ(get("/api/v1/catalog/tags?metric=cpu&limit=1&after=4:hostb"),
            R"({"tags":[{"key":"os","value":"x","series":1,"first_seen":-5,"last_seen":-5}]})");
  EXPECT_EQ(get("/api/v1/catalog/tags?metric=cpu&after=2:osx"), R"({"tags":[]})");
  for (const char* const after : {"", "hosta", ":hosta", "9:hosta", "x:hosta"}) {
    EXPECT_EQ(ask(std::string("/api/v1/catalog/tags?after=") + after).status, 400) << after;
  }
}

TEST_F(CatalogTest, Series) {
  const std::string a =
      R"({"tags":{"host":"a"},"types":["long","double"],"first_seen":1000,"last_seen":2000,"points":2})";
  const std::string b =
      R"({"tags":{"host":"b","os":"x"},"types":["double"],"first_seen":-5,"last_seen":-5,"points":1})";
  EXPECT_EQ(get("/api/v1/catalog/series?metric=cpu"), R"({"series":[)" + a + "," + b + "]}");
  EXPECT_EQ(get("/api/v1/catalog/series?metric=cpu&limit=1"), R"({"series":[)" + a + R"(],"next":"0"})");
  EXPECT_EQ(get("/api/v1/catalog/series?metric=cpu&limit=1&after=0"), R"({"series":[)" + b + "]}");
  EXPECT_EQ(get("/api/v1/catalog/series?metric=cpu&tag=host=b&tag=os=x"), R"({"series":[)" + b + "]}");
  EXPECT_EQ(get("/api/v1/catalog/series?metric=cpu&tag=host=none"), R"({"series":[]})");
  EXPECT_EQ(get("/api/v1/catalog/series?metric=secret"), R"({"series":[]})");
  EXPECT_EQ(get("/api/v1/catalog/series?metric=cpu&start=0"), R"({"series":[)" + a + "]}");
  EXPECT_EQ(get("/api/v1/catalog/series?metric=cpu&end=0&limit=1"), R"({"series":[)" + b + "]}");
}

TEST_F(CatalogTest, Refused) {
  for (const char* const target :
       {"/api/v1/catalog/series", "/api/v1/catalog/series?metric=", "/api/v1/catalog/series?metric=cpu&limit=x",
        "/api/v1/catalog/metrics?limit=-1", "/api/v1/catalog/metrics?limit=100001",
        "/api/v1/catalog/series?metric=cpu&after=99999999999",
        "/api/v1/catalog/series?metric=cpu&after=", "/api/v1/catalog/series?metric=cpu&tag=host",
        "/api/v1/catalog/series?metric=cpu&tag==a", "/api/v1/catalog/metrics?start=1s", "/api/v1/catalog/tags?end=x",
        "/api/v1/catalog/series?metric=cpu&start=2&end=1"}) {
    const Response response = ask(target);
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_TRUE(response.body.starts_with(R"({"error":)")) << response.body;
  }
  EXPECT_EQ(ask("/api/v1/catalog/metrics", "").status, 400);
  EXPECT_EQ(ask("/api/v1/catalog/series", "nobody").status, 400);
  EXPECT_EQ(ask("/api/v1/catalog/series?metric=cpu&after=x", "nobody").status, 400);
  EXPECT_EQ(get("/api/v1/catalog/series?metric=cpu", "nobody"), R"({"series":[]})");
}

}  // namespace
}  // namespace varve::api
