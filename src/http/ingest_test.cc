// SPDX-License-Identifier: Apache-2.0
// Each way in with canned requests over stores that only remember: status, shape, what was appended.
#include "http/ingest.h"

#include <gtest/gtest.h>

#include <optional>

#include "http/influx_query.h"
#include "http/operations.h"
#include "write/testing/fake_stores.h"

namespace varve::http {
namespace {

class IngestTest : public ::testing::Test {
 protected:
  write::testing::FakeSeriesStore series;
  write::testing::FakeSampleStore samples;
  Metrics metrics;
  write::Writer writer{series, samples, {.tag_limits = {}, .metrics = &metrics}};
  ManualClock clock;
  Router router;

  IngestTest() {
    const IngestContext context{writer, clock, metrics, "1.2.3"};
    add_kairosdb_ingest(router, context);
    add_opentsdb_ingest(router, context);
    add_influx_ingest(router, context);
    add_prometheus_ingest(router, context);
    add_kairosdb_health(router, context);
  }

  class Keep final : public Responder::Sink {
   public:
    explicit Keep(std::optional<Response>& to) : to_(to) {}
    void send(Response response) override {
      EXPECT_FALSE(to_) << "answered twice";
      to_ = std::move(response);
    }

   private:
    std::optional<Response>& to_;
  };

  Response ask(Method method, std::string path, std::string_view body = {},
               std::vector<std::pair<std::string, std::string>> query = {},
               std::vector<std::pair<std::string, std::string>> headers = {}) {
    request_ = Request{method, std::move(path), tenant, false, std::move(query), std::move(headers), {}, {}};
    body_ = std::string(body) + std::string(kBodyPadding, '\0');
    request_.body = std::string_view(body_).substr(0, body.size());
    std::optional<Response> response;
    const auto match = router.find(method, request_.path);
    EXPECT_NE(match.handler, nullptr);
    if (match.handler != nullptr) (*match.handler)(request_, Responder(std::make_shared<Keep>(response)));
    EXPECT_TRUE(response);
    return response.value_or(Response{});
  }
  static std::string header(const Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return {};
  }

  std::string tenant = "default";

 private:
  Request request_;
  std::string body_;
};

constexpr std::string_view kKairos =
    R"([{"name":"m","timestamp":1700000000000,"value":1,"tags":{"h":"a"}},{"name":"m","datapoints":[[1,2],[2,2.5]],"tags":{"h":"b"}}])";

TEST_F(IngestTest, KairosDbPut) {
  const Response good = ask(Method::post, "/api/v1/datapoints", kKairos);
  EXPECT_EQ(good.status, 204);
  EXPECT_EQ(good.body, "");
  EXPECT_EQ(samples.appended, 3U);
}

TEST_F(IngestTest, KairosDbPutIsAllOrNothing) {
  const Response bad =
      ask(Method::post, "/api/v1/datapoints",
          R"([{"name":"m","timestamp":1,"value":1,"tags":{"h":"a"}},{"name":"m","timestamp":1,"value":1}])");
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(bad.body, R"({"errors":["metric[1](name=m).tags count must be greater than or equal to 1."]})");
  EXPECT_EQ(samples.appended, 0U);
}

TEST_F(IngestTest, AStoreThatCannotTakeItIs503WithRetryAfter) {
  samples.refuse = true;
  const Response kairos = ask(Method::post, "/api/v1/datapoints", kKairos);
  EXPECT_EQ(kairos.status, 503);
  EXPECT_EQ(header(kairos, "Retry-After"), "1");
  EXPECT_EQ(kairos.body, R"({"error":"the disk is full","errors":["the disk is full"]})");
  const Response influx = ask(Method::post, "/write", "m v=1 1");
  EXPECT_EQ(influx.status, 503);
  EXPECT_EQ(influx.body, R"({"error":"the disk is full"})");
  EXPECT_EQ(ask(Method::post, "/api/v2/write", "m v=1 1").body,
            R"({"code":"unavailable","message":"the disk is full"})");
  const Response put = ask(Method::post, "/api/put", R"({"metric":"m","timestamp":1,"value":1,"tags":{"h":"a"}})");
  EXPECT_EQ(put.body, R"({"error":{"code":503,"message":"the disk is full"}})");
}

TEST_F(IngestTest, OpenTsdbPut) {
  const std::string_view good = R"({"metric":"m","timestamp":1700000000,"value":"1.5","tags":{"h":"a"}})";
  EXPECT_EQ(ask(Method::post, "/api/put", good).status, 204);
  const Response summary = ask(Method::post, "/api/put", good, {{"summary", ""}});
  EXPECT_EQ(summary.status, 200);
  EXPECT_EQ(summary.body, R"({"success":1,"failed":0})");
  const Response details = ask(Method::post, "/api/put", good, {{"details", ""}, {"sync", ""}});
  EXPECT_EQ(details.body, R"({"success":1,"failed":0,"errors":[]})");
  EXPECT_EQ(ask(Method::post, "/api/put", "[]").status, 204);
  EXPECT_EQ(samples.appended, 3U);
}

TEST_F(IngestTest, OpenTsdbPutKeepsTheGoodPoints) {
  const std::string_view mixed =
      R"([{"metric":"m","timestamp":1,"value":1,"tags":{"h":"a"}},{"metric":"m","timestamp":1,"value":"x","tags":{"h":"a"}}])";
  EXPECT_EQ(ask(Method::post, "/api/put", mixed).status, 400);
  const Response details = ask(Method::post, "/api/put", mixed, {{"details", ""}});
  EXPECT_EQ(details.status, 400);
  EXPECT_TRUE(details.body.starts_with(R"({"success":1,"failed":1,"errors":[{"datapoint":{"metric":"m")"))
      << details.body;
  EXPECT_EQ(samples.appended, 2U);
  const Response broken = ask(Method::post, "/api/put", "{");
  EXPECT_EQ(broken.status, 400);
  EXPECT_TRUE(broken.body.starts_with(R"({"error":{"code":400,"message":)")) << broken.body;
}

TEST_F(IngestTest, InfluxWrite) {
  EXPECT_EQ(ask(Method::post, "/write", "cpu,h=a v=1,w=2i 1700000000000000000\n").status, 204);
  EXPECT_EQ(ask(Method::post, "/api/v2/write", "cpu,h=a v=1", {{"precision", "ms"}}).status, 204);
  EXPECT_EQ(ask(Method::post, "/write", "").status, 204);
  EXPECT_EQ(samples.appended, 3U);
  EXPECT_EQ(ask(Method::post, "/write", "cpu v=1", {{"precision", "weeks"}}).status, 400);
}

TEST_F(IngestTest, InfluxNamesBadLinesAndKeepsTheOthers) {
  const Response partial = ask(Method::post, "/write", "cpu v=1 1\ncpu v= 2\ncpu v=3 3\n");
  EXPECT_EQ(partial.status, 400);
  EXPECT_TRUE(partial.body.starts_with("{\"error\":\"partial write: line 2: ")) << partial.body;
  EXPECT_TRUE(partial.body.ends_with("dropped=1\"}")) << partial.body;
  EXPECT_EQ(samples.appended, 2U);
  const Response none = ask(Method::post, "/api/v2/write", "nothing");
  EXPECT_TRUE(none.body.starts_with(R"({"code":"invalid","message":"unable to parse: line 1: )")) << none.body;
}

TEST_F(IngestTest, AFullTenantIsTold) {
  EXPECT_EQ(ask(Method::post, "/write", "known v=1 1").status, 204);
  series.refuse = true;
  const Response full = ask(Method::post, "/write", "new v=1 1");
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(header(full, "Retry-After"), "10");
  EXPECT_EQ(ask(Method::post, "/write", "known v=1 1\nnew v=1 1").status, 400);  // partial: sending it again is no use
  EXPECT_EQ(samples.appended, 2U);
  EXPECT_EQ(ask(Method::post, "/api/v1/datapoints", kKairos).status, 429);
}

TEST_F(IngestTest, InfluxClientsStart) {
  const Response pong = ask(Method::head, "/ping");
  EXPECT_EQ(pong.status, 204);
  EXPECT_EQ(header(pong, "X-Influxdb-Version"), "1.8.0 (varve 1.2.3)");
  EXPECT_EQ(ask(Method::get, "/ping", "", {{"verbose", "true"}}).status, 200);
  EXPECT_NE(ask(Method::get, "/health").body.find(R"("status":"pass")"), std::string::npos);
  EXPECT_EQ(ask(Method::post, "/query", "", {{"q", "CREATE DATABASE \"db\""}}).body,
            "{\"results\":[{\"statement_id\":0}]}\n");
  EXPECT_EQ(ask(Method::post, "/query", "q=show%20databases;&db=", {},
                {{"content-type", "application/x-www-form-urlencoded"}})
                .body,
            "{\"results\":[{\"statement_id\":0,\"series\":[{\"name\":\"databases\",\"columns\":[\"name\"],"
            "\"values\":[[\"default\"]]}]}]}\n");
  EXPECT_EQ(ask(Method::get, "/query").status, 400);
  EXPECT_NE(ask(Method::get, "/query", "", {{"q", "SELECT 1"}}).body.find("\"error\":\"not supported here: SELECT 1\""),
            std::string::npos);
}

TEST(InfluxQuery, SplitsStatements) {
  using List = std::vector<std::string>;
  EXPECT_EQ(split_statements("a; b ;;c"), (List{"a", "b", "c"}));
  EXPECT_EQ(split_statements("a \"x;y\" 'p;\\'q'; b"), (List{"a \"x;y\" 'p;\\'q'", "b"}));
  EXPECT_EQ(split_statements(" ; "), List{});
}

TEST_F(IngestTest, RemoteWrite) {
  // WriteRequest{timeseries{labels{__name__="m"} samples{value=1, timestamp=5}}}
  const std::string_view body("\x0a\x1c\x0a\x0d\x0a\x08__name__\x12\x01m\x12\x0b\x09\0\0\0\0\0\0\xf0\x3f\x10\x05", 30);
  EXPECT_EQ(ask(Method::post, "/api/v1/write", body, {}, {{"content-encoding", "snappy"}}).status, 204);
  EXPECT_EQ(samples.appended, 1U);
  EXPECT_EQ(ask(Method::post, "/api/v1/write", body).status, 415);
  EXPECT_EQ(ask(Method::post, "/api/v1/write", "\x07\x07", {}, {{"content-encoding", "snappy"}}).status, 400);
}

TEST_F(IngestTest, WithoutATenantNothingIsTaken) {
  tenant = "";
  EXPECT_EQ(ask(Method::post, "/api/v1/datapoints", kKairos).status, 400);
  EXPECT_EQ(ask(Method::post, "/write", "m v=1").status, 400);
  EXPECT_EQ(ask(Method::post, "/api/put", R"({"metric":"m","timestamp":1,"value":1,"tags":{"h":"a"}})").status, 400);
  EXPECT_EQ(
      ask(Method::post, "/api/put", R"({"metric":"m","timestamp":1,"value":1,"tags":{"h":"a","tenant":"t"}})").status,
      204);
  EXPECT_EQ(samples.appended, 1U);
}

TEST_F(IngestTest, KairosDbClientsStart) {
  EXPECT_EQ(ask(Method::get, "/api/v1/version").body, R"({"version":"varve 1.2.3"})");
  EXPECT_EQ(ask(Method::get, "/api/v1/health/check").status, 204);
  EXPECT_EQ(ask(Method::get, "/api/v1/health/status").body, R"(["JVM-Thread-Deadlock: OK","Datastore-Query: OK"])");
}

TEST_F(IngestTest, Operations) {
  Gate gate;
  add_health(router, gate, metrics);
  EXPECT_EQ(ask(Method::get, "/-/healthy").status, 200);
  EXPECT_EQ(ask(Method::get, "/-/ready").status, 503);
  gate.open = true;
  EXPECT_EQ(ask(Method::get, "/-/ready").status, 200);
  const Response text = ask(Method::get, "/metrics");
  EXPECT_TRUE(text.content_type.starts_with("text/plain; version=0.0.4"));
  EXPECT_NE(text.body.find("varve_samples_accepted_total 0"), std::string::npos);
}

}  // namespace
}  // namespace varve::http
