// SPDX-License-Identifier: Apache-2.0
// An engine whose index is on another server cannot reach it: nobody is told that there is nothing.
#include <gtest/gtest.h>

#include "api/catalog/routes.h"
#include "api/opentsdb/routes.h"
#include "api/testing/ceres_fixture.h"

namespace varve::api::testing {
namespace {

class IndexAwayTest : public CeresFixture {
 protected:
  IndexAwayTest() {
    add_catalog_routes(router_, whole_.of(engine_, pool_, metrics_));
    put_hosts();
  }
  void expect_unavailable(Method method, const std::string& target, std::string_view body = {}) {
    store_.away(false);
    EXPECT_EQ(ask(method, target, body).status, 200) << target;
    store_.away(true);
    const Response response = ask(method, target, body);
    EXPECT_EQ(response.status, 503) << target << " " << response.body;
    EXPECT_TRUE(std::ranges::any_of(response.headers, [](const auto& h) { return h.first == "Retry-After"; }))
        << target;
    EXPECT_NE(response.body.find("the index is away"), std::string::npos) << target << " " << response.body;
  }
};

TEST_F(IndexAwayTest, EveryApiSays503) {
  expect_unavailable(Method::get, "/api/v1/catalog/metrics");
  expect_unavailable(Method::get, "/api/v1/catalog/tags");
  expect_unavailable(Method::get, "/api/v1/catalog/series?metric=cpu");
  expect_unavailable(Method::get, "/api/v1/catalog/series?metric=cpu&width=1d");
  expect_unavailable(Method::get, "/api/v1/catalog/windows?metric=cpu");
  expect_unavailable(Method::get, "/api/v1/metricnames");
  expect_unavailable(Method::get, "/api/v1/tagnames");
  expect_unavailable(Method::get, "/api/v1/tagvalues");
  for (const char* const list : {"metricnames", "tagnames", "tagvalues", "catalog/metrics", "catalog/tags"}) {
    expect_unavailable(Method::get, std::string("/api/v1/") + list + "?start=0");
  }
  expect_unavailable(Method::get, "/api/v1/catalog/tags?metric=cpu");
  const std::string metrics = R"("metrics":[{"name":"cpu","tags":{}}]})";
  expect_unavailable(Method::post, "/api/v1/datapoints/query", R"({"start_absolute":0,)" + metrics);
  expect_unavailable(Method::post, "/api/v1/datapoints/query/tags", R"({"start_absolute":0,)" + metrics);
  expect_unavailable(Method::get, "/api/metadata/tenants");
  expect_unavailable(Method::get, "/api/metadata/metricNames");
  expect_unavailable(Method::get, "/api/metadata/devices");
  expect_unavailable(Method::get, "/api/metadata/tagKeys?metricName=cpu");
}

TEST_F(IndexAwayTest, OpentsdbSays503) {
  router_ = Router();
  add_opentsdb_routes(router_, whole_.of(engine_, pool_, metrics_));
  for (const char* const type : {"metrics", "tagk", "tagv"}) {
    expect_unavailable(Method::get, std::string("/api/suggest?type=") + type);
  }
  expect_unavailable(Method::get, "/api/search/lookup?m=cpu");
  expect_unavailable(Method::get, "/api/query/last?timeseries=cpu&back_scan=24");
  expect_unavailable(Method::post, "/api/query", R"({"start":1,"queries":[{"metric":"cpu","aggregator":"sum"}]})");
}

}  // namespace
}  // namespace varve::api::testing
