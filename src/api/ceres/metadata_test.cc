// SPDX-License-Identifier: Apache-2.0
// Which names, tags and series Ceres' metadata shows.
#include "api/testing/ceres_fixture.h"

namespace varve::api {
namespace {

using namespace testing;
class CeresMetadataTest : public CeresFixture {};

TEST_F(CeresMetadataTest, Metadata) {
  put_hosts();
  EXPECT_EQ(get("/api/metadata/tenants"), R"(["t-1"])");
  EXPECT_EQ(get("/api/metadata/metricNames"), R"(["cpu","disk","load"])");
  EXPECT_EQ(get("/api/metadata/metricNames?device=h-1"), R"(["cpu","disk","load"])");
  EXPECT_EQ(get("/api/metadata/metricNames?device=h-3"), R"(["cpu"])");
  EXPECT_EQ(get("/api/metadata/metricNames?device=h-9"), "[]");
  EXPECT_EQ(get("/api/metadata/metricNames?metricGroup=CPU"), R"(["cpu","load"])");
  EXPECT_EQ(get("/api/metadata/metricGroups"), R"(["CPU","Disk"])");
  EXPECT_EQ(get("/api/metadata/devices"), R"(["h-1","h-2","h-3"])");
  EXPECT_EQ(get("/api/metadata/devices?offset=1&limit=1"), R"(["h-2"])");
  EXPECT_EQ(get("/api/metadata/tagKeys?metricName=cpu"), R"(["host","metricGroup","os","resource"])");
  EXPECT_EQ(get("/api/metadata/tagKeys?metricName=nothing"), "[]");
  EXPECT_EQ(get("/api/metadata/tagValues?metricName=cpu&tagKey=os"), R"(["bsd","linux"])");
  EXPECT_EQ(get("/api/metadata/tagValues?metricName=load&tagKey=os"), "[]");
  EXPECT_EQ(get("/api/metadata/tags?metricName=cpu"),
            R"({"tenantId":"t-1","metric":"cpu",)"
            R"("tags":{"host":"h-3","metricGroup":"CPU","os":"linux","resource":"h-3"},)"
            R"("tagValues":{"host":["h-1","h-2","h-3"],"metricGroup":["CPU"],"os":["bsd","linux"],)"
            R"("resource":["h-1","h-2","h-3"]}})");
  EXPECT_EQ(get("/api/metadata/tags?metricGroup=Disk"),
            R"({"tenantId":"t-1","metricGroup":"Disk","tags":{"host":"h-1","metricGroup":"Disk","resource":"h-1"},)"
            R"("tagValues":{"host":["h-1"],"metricGroup":["Disk"],"resource":["h-1"]}})");
  EXPECT_EQ(get("/api/metadata/tags?metricName=nothing"),
            R"({"tenantId":"t-1","metric":"nothing","tags":{},"tagValues":{}})");
  const Response paged = ask(Method::get, "/api/metadata/metricNames?limit=2");
  EXPECT_EQ(paged.body, R"(["cpu","disk"])");
  EXPECT_EQ(paged.headers, (std::vector<std::pair<std::string, std::string>>{{"X-Total-Count", "3"}}));
}

TEST_F(CeresMetadataTest, Search) {
  put_hosts();
  EXPECT_EQ(
      search(R"({"filter":[{"filterKey":"tags.metricGroup","filterValue":"CP*"}],"includeFields":["metricName"]})"),
      R"([{"metricName":"cpu"},{"metricName":"load"}])");
  EXPECT_EQ(search(R"({"filter":[{"filterKey":"metricName","filterValue":"?oa*"}]})"),
            R"([{"metricName":"load","tags":{"host":"h-1","metricGroup":"CPU","resource":"h-1"}}])");
  EXPECT_EQ(search(R"({"includeFields":["tags.host"]})"),
            R"([{"tags":{"host":"h-1"}},{"tags":{"host":"h-2"}},{"tags":{"host":"h-3"}}])");
  EXPECT_EQ(search(R"({"includeFields":["tags.os"]})"), R"([{"tags":{"os":"bsd"}},{"tags":{"os":"linux"}}])");
  EXPECT_EQ(
      search(R"({"filter":[{"filterKey":"tags.os","filterValue":"*"},{"filterKey":"tags.host","filterValue":"h-1"}],
                       "excludeFields":["tags.metricGroup","tags.resource"]})"),
      R"([{"metricName":"cpu","tags":{"host":"h-1","os":"linux"}}])");
  EXPECT_EQ(search(R"({"filter":[{"filterKey":"tags.os","filterValue":"lin"}]})"), "[]");
  EXPECT_EQ(search(R"({"filter":[{"filterKey":"tags.os","filterValue":"l.*"}]})"), "[]");
  EXPECT_EQ(search(R"({"includeFields":["metricName"],"offset":1,"limit":1})"), R"([{"metricName":"disk"}])");
  EXPECT_EQ(search(R"({"excludeFields":["metricName","tags"]})"), "[]");
  const std::string all = search("{}");
  EXPECT_EQ(std::count(all.begin(), all.end(), 'N'), 5) << all;  // metricName
}

TEST_F(CeresMetadataTest, MoreThanTen) {
  for (int i = 0; i < 2000; ++i)
    put("m" + std::to_string(i), {{"host", "h-" + std::to_string(i % 7)}}, 0, Value::of_long(1));
  const Response all = ask(Method::post, "/api/metadata/search", "{}");
  EXPECT_EQ(std::count(all.body.begin(), all.body.end(), 'N'), 2000);
  EXPECT_EQ(all.headers[0].second, "2000");
  EXPECT_GE(pieces_, 1U);
}

// Names are data: nothing in one is a delimiter, a quote or a pattern of anything that lies behind.
TEST_F(CeresMetadataTest, NamesKeepEveryCharacter) {
  const std::string odd = "a'b\"c\\d|e;--{}[]*?\n\x01\u20ac";
  const std::string json = R"("a'b\"c\\d|e;--{}[]*?\u000a\u0001€")";
  const std::string url = "a'b%22c%5Cd%7Ce;--%7B%7D%5B%5D*?%0A%01%E2%82%AC";
  put(odd, {{"host", odd}, {"metricGroup", odd}, {"resource", odd}}, 0, Value::of_long(1));
  put("other", {{"host", "x"}, {"metricGroup", "x"}, {"resource", "x"}}, 0, Value::of_long(2));
  EXPECT_EQ(get("/api/metadata/metricGroups"), "[" + json + R"(,"x"])");
  EXPECT_EQ(get("/api/metadata/devices?limit=1"), "[" + json + "]");
  EXPECT_EQ(get("/api/metadata/metricNames?device=" + url), "[" + json + "]");
  EXPECT_EQ(get("/api/metadata/metricNames?metricGroup=" + url), "[" + json + "]");
  EXPECT_EQ(get("/api/metadata/tagValues?tagKey=host&metricName=" + url), "[" + json + "]");
  EXPECT_EQ(get("/api/metadata/tags?metricName=" + url),
            R"({"tenantId":"t-1","metric":)" + json + R"(,"tags":{"host":)" + json + R"(,"metricGroup":)" + json +
                R"(,"resource":)" + json + R"(},"tagValues":{"host":[)" + json + R"(],"metricGroup":[)" + json +
                R"(],"resource":[)" + json + "]}}");
  EXPECT_EQ(search(R"({"filter":[{"filterKey":"metricName","filterValue":"a'b*€"}],"includeFields":["metricName"]})"),
            R"([{"metricName":)" + json + "}]");
  for (const char* subject : {"metricName=", "metricGroup="}) {
    const std::string found = get("/api/query?start=1d-ago&" + (subject + url) + "&tag=host=" + url);
    EXPECT_NE(found.find(R"("metricName":)" + json + R"(,"tags":{"host":)" + json), std::string::npos) << found;
    EXPECT_NE(found.find(R"("2021-03-31T10:00:00Z":1})"), std::string::npos) << found;
  }
}

TEST_F(CeresMetadataTest, NothingOfAnotherTenant) {
  put_hosts();
  for (const char* target :
       {"/api/query?metricName=cpu&start=0", "/api/query?metricGroup=CPU&start=0", "/api/metadata/tenants",
        "/api/metadata/metricNames", "/api/metadata/metricGroups", "/api/metadata/devices",
        "/api/metadata/tagKeys?metricName=cpu", "/api/metadata/tagValues?metricName=cpu&tagKey=os"}) {
    EXPECT_EQ(ask(Method::get, target, "", "t-2").body, "[]") << target;
  }
  EXPECT_EQ(ask(Method::post, "/api/metadata/search", "{}", "t-2").body, "[]");
  EXPECT_EQ(ask(Method::get, "/api/metadata/tags?metricName=cpu", "", "t-2").body,
            R"({"tenantId":"t-2","metric":"cpu","tags":{},"tagValues":{}})");
  put("cpu", {{"host", "x"}}, 0, Value::of_long(1), "t-2");
  EXPECT_EQ(ask(Method::get, "/api/metadata/tenants", "", "t-2").body, R"(["t-2"])");
}

}  // namespace
}  // namespace varve::api
