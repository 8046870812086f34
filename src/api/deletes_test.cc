// SPDX-License-Identifier: Apache-2.0
// Deletes of KairosDB and of Ceres over a store in memory: what is gone, what stays, and what is refused.
#include "api/testing/ceres_fixture.h"

namespace varve::api {
namespace {

using namespace testing;

class DeletesTest : public CeresFixture {
 protected:
  void remove(const std::string& target, std::string tenant = "t-1") {
    const Response response = ask(Method::delete_, target, {}, std::move(tenant));
    EXPECT_EQ(response.status, 200) << target << " " << response.body;
    EXPECT_EQ(response.body, "");
  }
  // Status and message of what is refused.
  std::string refused(const std::string& target, std::string tenant = "t-1") {
    const Response response = ask(Method::delete_, target, {}, std::move(tenant));
    const auto at = response.body.find(R"("message":")");
    const auto from = at == std::string::npos ? 0 : at + 11;
    return std::to_string(response.status) + " " + response.body.substr(from, response.body.find('"', from) - from);
  }
  std::string kairosdb(std::string_view body) {
    const Response response = ask(Method::post, "/api/v1/datapoints/delete", body);
    return std::to_string(response.status) + response.body;
  }
  static inline const std::string kAllSeries = "/api/query?start=2d-ago&end=2030-01-01T00:00:00Z&metric";
};

TEST_F(DeletesTest, AMetric) {
  put_hosts();
  remove("/api/metric/metricName/cpu");
  EXPECT_EQ(hosts(kAllSeries + "Name=cpu"), "");
  EXPECT_EQ(hosts(kAllSeries + "Group=CPU"), "load/h-1");
  EXPECT_EQ(get("/api/metadata/metricNames"), R"(["disk","load"])");
  remove("/api/metric/metricName/cpu");
  remove("/api/metric/metricName/never.was");
}

TEST_F(DeletesTest, SomeSeriesOfAMetric) {
  put_hosts();
  remove("/api/metric/metricName/cpu?tag=os=linux&tag=host=h-2");
  EXPECT_EQ(hosts(kAllSeries + "Name=cpu"), "cpu/h-1 cpu/h-3");
  remove("/api/metric/metricName/cpu?tag=os=linux,host=h-3");
  EXPECT_EQ(hosts(kAllSeries + "Name=cpu"), "cpu/h-1 cpu/h-3");
  remove("/api/metric/metricName/cpu?tag=os=linux");
  EXPECT_EQ(hosts(kAllSeries + "Name=cpu"), "cpu/h-3");
  EXPECT_EQ(get("/api/metadata/metricNames"), R"(["cpu","disk","load"])");
}

TEST_F(DeletesTest, AGroup) {
  put_hosts();
  remove("/api/metric/metricGroup/CPU");
  EXPECT_EQ(hosts(kAllSeries + "Group=CPU"), "");
  EXPECT_EQ(hosts(kAllSeries + "Group=Disk"), "disk/h-1");
  EXPECT_EQ(get("/api/metadata/metricGroups"), R"(["Disk"])");
}

TEST_F(DeletesTest, NothingOfTheServersOwnTenant) {
  put("cpu", {{"host", "x"}}, 0, Value::of_long(1), "varve");
  for (const char* target : {"/api/metric", "/api/metric/metricName/cpu", "/api/metric/metricGroup/CPU"}) {
    EXPECT_EQ(refused(target, "varve").substr(0, 3), "403") << target;
  }
  EXPECT_EQ(ask(Method::delete_, "/api/v1/metric/cpu", {}, "varve").status, 403);
  EXPECT_EQ(ask(Method::get, "/api/metadata/metricNames", {}, "varve").body, R"(["cpu"])");
}

TEST_F(DeletesTest, ATenantAndNoOther) {
  put_hosts();
  put("cpu", {{"host", "x"}}, 0, Value::of_long(1), "t-2");
  remove("/api/metric");
  EXPECT_EQ(get("/api/metadata/metricNames"), "[]");
  EXPECT_EQ(ask(Method::get, "/api/metadata/metricNames", {}, "t-2").body, R"(["cpu"])");
  remove("/api/metric", "nobody");
  EXPECT_FALSE(store_.find_tenant("nobody").value());
}

TEST_F(DeletesTest, ARangeIsExactAndHalfOpen) {
  for (int minute = 0; minute < 6; ++minute) put("m", {{"host", "a"}}, minute, Value::of_long(minute));
  remove("/api/metric/metricName/m?start=2021-03-31T10:01:00Z&end=2021-03-31T10:03:00Z");
  EXPECT_EQ(values("start=1d-ago"),
            "2021-03-31T10:00:00Z:0,2021-03-31T10:03:00Z:3,2021-03-31T10:04:00Z:4,2021-03-31T10:05:00Z:5");
  remove("/api/metric?start=2021-03-31T10:05:00Z&end=2021-03-31T10:05:00Z");
  remove("/api/metric/metricName/m?end=2021-03-31T10:04:00Z");
  EXPECT_EQ(values("start=1d-ago"), "2021-03-31T10:04:00Z:4,2021-03-31T10:05:00Z:5");
  put("m", {{"host", "a"}}, 180, Value::of_long(9));  // an hour ahead
  remove("/api/metric/metricName/m?start=1d-ago");
  EXPECT_EQ(values("start=1d-ago&end=2021-04-01T00:00:00Z"), "2021-03-31T13:00:00Z:9");
  remove("/api/metric");
  EXPECT_EQ(values("start=1d-ago&end=2021-04-01T00:00:00Z"), "[]");
}

TEST_F(DeletesTest, WhatIsNotUnderstoodDeletesNothing) {
  put_hosts();
  EXPECT_EQ(refused("/api/metric?metricName=cpu"), "400 there is no parameter 'metricName' here; start, end");
  EXPECT_EQ(refused("/api/metric?tag=os=linux"), "400 there is no parameter 'tag' here; start, end");
  EXPECT_EQ(refused("/api/metric/metricGroup/CPU?tag=os=linux"), "400 there is no parameter 'tag' here; start, end");
  EXPECT_EQ(refused("/api/metric/metricName/cpu?tag="), "400 a parameter tag is empty");
  EXPECT_EQ(refused("/api/metric/metricName/cpu?tags=os=linux"),
            "400 there is no parameter 'tags' here; start, end, tag");
  EXPECT_EQ(refused("/api/metric?start=1h-ago&end=2h-ago"), "400 the end lies before the start");
  EXPECT_EQ(refused("/api/metric?tenant=t-2"),
            "400 the parameter tenant cannot choose a tenant; the header X-Tenant or the path /t/<tenant>/ does");
  EXPECT_EQ(refused("/api/metric", ""), "400 the request names no tenant");
  EXPECT_EQ(hosts(kAllSeries + "Group=CPU"), "cpu/h-1 cpu/h-2 cpu/h-3 load/h-1");
}

// Without times.
template <class Work>
std::string logged_by(const Work& work) {
  ::testing::internal::CaptureStderr();
  work();
  const std::string all = ::testing::internal::GetCapturedStderr();
  std::string out;
  for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1) {
    const std::size_t level = all.find("level=", at);
    out += all.substr(level, all.find('\n', at) + 1 - level);
  }
  return out;
}

TEST_F(DeletesTest, TheLogSaysWhoDeletedWhat) {
  put_hosts();
  const std::string who = "level=info msg=\"samples are deleted\" tenant=t-1 peer=192.0.2.7 ";
  EXPECT_EQ(logged_by([&] { remove("/api/metric/metricName/cpu?tag=os=linux&start=2021-03-31T10:00:00Z"); }),
            who +
                "api=ceres metric=cpu tags=\"os=linux\" from=2021-03-31T10:00:00Z to=2021-03-31T12:00:00Z "
                "samples=2\n");
  EXPECT_EQ(logged_by([&] { ask(Method::delete_, "/api/v1/metric/load"); }),
            who + "api=kairosdb metric=load tags=* from=* to=* samples=1\n");
  EXPECT_EQ(logged_by([&] {
              kairosdb(R"({"start_absolute":1,"end_absolute":1999999999999,"metrics":[{"name":"cpu","tags":)"
                       R"({"host":["h-3","h-4"]}},{"name":"a\nlevel=info b"}]})");
            }),
            who +
                "api=kairosdb metric=cpu tags=\"host=h-3|h-4\" from=1970-01-01T00:00:00.001Z "
                "to=2033-05-18T03:33:20Z samples=1\n" +
                who +
                "api=kairosdb metric=\"a\\\\nlevel=info b\" tags=* from=1970-01-01T00:00:00.001Z "
                "to=2033-05-18T03:33:20Z samples=0\n");
  EXPECT_EQ(logged_by([&] { remove("/api/metric"); }), who + "api=ceres metric=* tags=* from=* to=* samples=1\n");
  EXPECT_EQ(logged_by([&] { refused("/api/metric?tag=a"); }), "");
}

TEST_F(DeletesTest, KairosdbAMetric) {
  put_hosts();
  const Response response = ask(Method::delete_, "/api/v1/metric/cpu");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(get("/api/metadata/metricNames"), R"(["disk","load"])");
  EXPECT_EQ(ask(Method::delete_, "/api/v1/metric/o.never.existed").status, 204);
}

TEST_F(DeletesTest, KairosdbAQuery) {
  put_hosts();
  for (int minute = 0; minute < 6; ++minute) put("m", {{"host", "a"}}, minute, Value::of_long(minute));
  // Both ends inclusive.
  EXPECT_EQ(kairosdb(R"({"start_absolute":1617184860000,"end_absolute":1617185040000,"metrics":[{"name":"m","tags":{},
                         "aggregators":[{"name":"sum","sampling":{"value":1,"unit":"minutes"}}]}]})"),
            "204");
  EXPECT_EQ(values("start=1d-ago"), "2021-03-31T10:00:00Z:0,2021-03-31T10:05:00Z:5");
  EXPECT_EQ(kairosdb(R"({"start_absolute":1,"metrics":[{"name":"cpu","tags":{"host":["h-1","regex:h-[3-9]"]}},
                         {"name":"disk"}]})"),
            "204");
  EXPECT_EQ(hosts(kAllSeries + "Name=cpu"), "cpu/h-2");
  EXPECT_EQ(get("/api/metadata/metricNames"), R"(["cpu","load","m"])");
  EXPECT_EQ(kairosdb(R"({"start_absolute":1,"metrics":[]})"), "204");
  EXPECT_EQ(kairosdb(R"({"start_absolute":1,"metrics":[{"name":"o.never.existed"}]})"), "204");
}

TEST_F(DeletesTest, KairosdbErrors) {
  EXPECT_EQ(kairosdb("{}"), R"(400{"errors":["query.metric[] must have a size of at least 1"]})");
  EXPECT_EQ(kairosdb(""), R"(400{"errors":["query json must not be null or empty"]})");
  EXPECT_EQ(kairosdb("[").substr(0, 3), "400");
  EXPECT_EQ(ask(Method::delete_, "/api/v1/metric/cpu", {}, "").status, 400);
}

}  // namespace
}  // namespace varve::api
