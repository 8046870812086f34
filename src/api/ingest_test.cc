// SPDX-License-Identifier: Apache-2.0
// Each way in with canned requests over stores that only remember: status, shape, what was appended.
#include <gtest/gtest.h>

#include <optional>

#include "api/admin/routes.h"
#include "api/influx/query.h"
#include "api/influx/routes.h"
#include "api/kairosdb/routes.h"
#include "api/opentsdb/routes.h"
#include "api/prometheus/routes.h"
#include "api/testing/whole_context.h"
#include "write/testing/fake_stores.h"

namespace varve::api {
namespace {

class IngestTest : public ::testing::Test {
 protected:
  write::testing::FakeSeriesStore series;
  write::testing::FakeSampleStore samples;
  Metrics metrics;
  std::string refusing;
  ManualClock clock;
  write::Writer writer;
  storage::testing::MemoryStore empty;
  query::Engine engine{empty, empty, clock, {}};
  TaskPool pool{1};
  testing::WholeContext whole{empty, clock};
  Router router;

  IngestTest() : IngestTest(0, model::kTimestampMax) {}
  IngestTest(std::int64_t now_ms, std::int64_t kept_ms)
      : clock(now_ms), writer(series, samples, {.metrics = &metrics, .clock = &clock, .kept_ms = kept_ms}) {
    Context context = whole.of(engine, pool, metrics, {.writer = &writer});
    context.refusing = [this] { return refusing; };
    for (const auto add : {add_kairosdb_routes, add_opentsdb_routes, add_influx_routes, add_prometheus_routes}) {
      add(router, context);
    }
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
    request_ = Request{method, std::move(path), tenant, false, std::move(query), std::move(headers), {}, {}, {}};
    body_ = std::string(body) + std::string(http::kBodyPadding, '\0');
    request_.body = std::string_view(body_).substr(0, body.size());
    std::optional<Response> response;
    const auto match = router.find(request_);
    EXPECT_NE(match.route, nullptr);
    if (match.route == nullptr) return {};
    if (const Status may = http::check_tenant(*match.route, request_); !may) return request_.error(may.error());
    match.route->handler(request_, Responder(std::make_shared<Keep>(response)));
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

TEST_F(IngestTest, TheServersOwnTenantIsReadOnly) {
  tenant = "varve";
  EXPECT_EQ(ask(Method::post, "/api/v1/datapoints", kKairos).status, 403);
  EXPECT_EQ(ask(Method::post, "/write", "m v=1 1").status, 403);
  EXPECT_EQ(ask(Method::post, "/api/v2/write", "m v=1 1").status, 403);
  EXPECT_EQ(ask(Method::post, "/api/v1/write", "", {}, {{"content-encoding", "snappy"}}).status, 403);
  EXPECT_EQ(ask(Method::post, "/api/put", R"({"metric":"m","timestamp":1,"value":1,"tags":{"h":"a"}})").status, 403);
  tenant = "default";
  const Response put = ask(Method::post, "/api/put",
                           R"([{"metric":"m","timestamp":1,"value":1,"tags":{"h":"a","tenant":"varve"}},
                               {"metric":"m","timestamp":1,"value":1,"tags":{"h":"a"}}])",
                           {{"summary", ""}});
  EXPECT_EQ(put.status, 403);
  EXPECT_EQ(put.body, R"({"success":1,"failed":1})");
  EXPECT_EQ(samples.appended, 1U);
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
  EXPECT_EQ(kairos.body, R"({"error":"the disk is full","errors":["the disk is full"]})"
                         "\n");
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
  EXPECT_NE(
      ask(Method::get, "/query", "", {{"q", "SELECT 1"}})
          .body.find("\"error\":\"not supported here: SELECT 1; what was written is read by /api/v1/datapoints/query"),
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

// 2.0 has another message under the same path, of which a parser of 1.0 would skip every field.
TEST_F(IngestTest, RemoteWriteLooksAtTheContentType) {
  const std::string_view body("\x0a\x1c\x0a\x0d\x0a\x08__name__\x12\x01m\x12\x0b\x09\0\0\0\0\0\0\xf0\x3f\x10\x05", 30);
  using Headers = std::vector<std::pair<std::string, std::string>>;
  const auto status = [&](Headers headers) {
    headers.emplace_back("content-encoding", "snappy");
    return ask(Method::post, "/api/v1/write", body, {}, std::move(headers)).status;
  };
  for (const char* good : {"application/x-protobuf", "Application/X-Protobuf", "application/x-protobuf; charset=utf-8",
                           "application/x-protobuf;proto=prometheus.WriteRequest",
                           "application/x-protobuf ; a=b;PROTO=\"prometheus.WriteRequest\""}) {
    EXPECT_EQ(status({{"content-type", good}}), 204) << good;
  }
  const std::size_t stored = samples.appended;
  EXPECT_EQ(status({{"content-type", "application/x-protobuf;proto=io.prometheus.write.v2.Request"}}), 400)
      << "a body of 1.0";
  for (const char* bad : {"application/json", "",
                          "application/x-protobuf;proto=io.prometheus.write.v2.Request;proto=prometheus.WriteRequest",
                          "application/x-protobuf;proto=PROMETHEUS.writerequest", "application/x-protobuf;proto=",
                          "application/x-protobuf, application/x-protobuf", "application/x-protobuffer", "nonsense"}) {
    EXPECT_EQ(status({{"content-type", bad}}), 415) << bad;
  }
  EXPECT_EQ(status({{"content-type", "application/x-protobuf"}, {"content-type", "text/plain"}}), 415);
  EXPECT_EQ(samples.appended, stored);
}

// Samples before 2020-09-13T12:26:40Z are older than what is kept of its series. Each is refused by name, once for a
// series that is known and once for one that is not, and what is refused leaves no series behind.
class TooOldTest : public IngestTest {
 protected:
  TooOldTest() : IngestTest(1'600'000'000'000 + kYear, kYear) {}
  static constexpr std::int64_t kYear = 31'536'000'000;

  double refused() {
    for (const auto& sample : metrics.samples()) {
      if (sample.name == "varve_samples_rejected_total" && sample.labels.at(0).second == "too_old") return sample.value;
    }
    return -1;
  }
};

TEST_F(TooOldTest, KairosDb) {
  const auto put = [this](std::string_view name, std::string_view times) {
    std::string body = R"({"name":")" + std::string(name) + R"(","tags":{"h":"a"},"datapoints":[)";
    for (std::string_view rest = times; !rest.empty(); rest.remove_prefix(std::min(rest.size(), rest.find(',') + 1))) {
      const std::string_view time = rest.substr(0, rest.find(','));
      body += (body.back() == '[' ? "[" : ",[") + std::string(time) + ",1]";
      if (time.size() == rest.size()) break;
    }
    return ask(Method::post, "/api/v1/datapoints", body + "]}");
  };
  EXPECT_EQ(put("m", "1600000000000").status, 204);
  for (const std::string_view name : {"m", "new"}) {
    const Response response = put(name, "1600000000000,1599999999999,1700000000");
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.body,
              R"({"errors":["metric[0](name=)" + std::string(name) +
                  R"().datapoints[1].timestamp at 2020-09-13T12:26:39.999Z (1599999999999 ms) is older than )"
                  R"(what is kept of its series, which begins at 2020-09-13T12:26:40Z","metric[0](name=)" +
                  std::string(name) +
                  R"().datapoints[2].timestamp at 1970-01-20T16:13:20Z (1700000000 ms) is older than )"
                  R"(what is kept of its series, which begins at 2020-09-13T12:26:40Z; timestamps are taken as )"
                  R"(milliseconds here: is that their unit?"]})");
  }
  EXPECT_EQ(samples.appended, 1U);
  EXPECT_EQ(refused(), 4);
}

TEST_F(TooOldTest, OpenTsdb) {
  const auto point = [](std::string_view metric, std::string_view time) {
    return R"({"metric":")" + std::string(metric) + R"(","timestamp":)" + std::string(time) +
           R"(,"value":1,"tags":{"h":"a"}})";
  };
  const std::string good = point("m", "1600000000");
  EXPECT_EQ(ask(Method::post, "/api/put", good).status, 204);
  const std::string old = point("m", "1599999999");
  const std::string unknown = point("new", "1599999999999");
  const std::string error = R"( is older than what is kept of its series, which begins at 2020-09-13T12:26:40Z"})";
  const Response details =
      ask(Method::post, "/api/put", "[" + old + "," + good + "," + unknown + "]", {{"details", ""}});
  EXPECT_EQ(details.status, 400);
  EXPECT_EQ(details.body, R"({"success":1,"failed":2,"errors":[{"datapoint":)" + old +
                              R"(,"error":"m at 2020-09-13T12:26:39Z (1599999999000 ms))" + error +
                              R"(,{"datapoint":)" + unknown +
                              R"(,"error":"new at 2020-09-13T12:26:39.999Z (1599999999999 ms))" + error + "]}");
  EXPECT_EQ(samples.appended, 2U);
  EXPECT_EQ(refused(), 2);
  EXPECT_EQ(series.series, 1U);
}

TEST_F(TooOldTest, Influx) {
  EXPECT_EQ(ask(Method::post, "/write", "m,h=a value=1 1600000000000000000\n").status, 204);
  const Response partial = ask(Method::post, "/write",
                               "m,h=a value=1 1600000000000000000\n"
                               "m,h=a value=1 1700000000\n"
                               "new value=1 1599999999999999999\n"
                               "m,h=a value=1 1600000000000000001\n");
  EXPECT_EQ(partial.status, 400);
  EXPECT_EQ(
      partial.body,
      R"({"error":"partial write: line 2: m,h=a at 1970-01-01T00:00:01.700Z (1700 ms) is older than what )"
      R"(is kept of its series, which begins at 2020-09-13T12:26:40Z; timestamps are taken as nanoseconds (or as )"
      R"(`precision` says) here: is that their unit?; line 3: new at 2020-09-13T12:26:39.999Z (1599999999999 ms) )"
      R"(is older than what is kept of its series, which begins at 2020-09-13T12:26:40Z dropped=2"})");
  EXPECT_EQ(samples.appended, 3U);
  EXPECT_EQ(refused(), 2);
  EXPECT_EQ(series.series, 1U);
}

TEST_F(TooOldTest, RemoteWrite) {
  // WriteRequest{timeseries{labels{__name__="m"} samples{value=1, timestamp}}}; the time in six bytes of varint.
  const auto write = [this](std::uint64_t time) {
    std::string body("\x0a\x21\x0a\x0d\x0a\x08__name__\x12\x01m\x12\x10\x09\0\0\0\0\0\0\xf0\x3f\x10", 29);
    for (int i = 0; i < 6; ++i, time >>= 7) body += static_cast<char>((time & 127) | (i < 5 ? 128 : 0));
    return ask(Method::post, "/api/v1/write", body, {}, {{"content-encoding", "snappy"}});
  };
  const std::string_view error =
      "1 refused: series 0: m at 2020-09-13T12:26:39.999Z (1599999999999 ms) is older than what is kept of its series, "
      "which begins at 2020-09-13T12:26:40Z\n";
  EXPECT_EQ(write(1'599'999'999'999).body, error);
  EXPECT_EQ(write(1'600'000'000'000).status, 204);
  const Response response = write(1'599'999'999'999);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body, error);
  EXPECT_EQ(samples.appended, 1U);
  EXPECT_EQ(refused(), 2);
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
  EXPECT_EQ(ask(Method::get, "/api/v1/version").body, R"x({"version":"KairosDB 1.3.0-1 (varve 1.2.3)"})x");
  EXPECT_EQ(ask(Method::get, "/api/v1/health/check").status, 204);
  EXPECT_EQ(ask(Method::get, "/api/v1/health/status").body, R"(["JVM-Thread-Deadlock: OK","Datastore-Query: OK"])");
}

TEST_F(IngestTest, HealthTellsThatWritesAreRefused) {
  EXPECT_EQ(ask(Method::get, "/health").body,
            R"({"name":"varve","message":"ready for queries and writes","status":"pass","checks":[],)"
            R"x("version":"1.8.0 (varve 1.2.3)"})x");
  refusing = "writes are refused: disk \"full\"";
  const Response influx = ask(Method::get, "/health");
  EXPECT_EQ(influx.status, 200);
  EXPECT_NE(influx.body.find(R"("message":"ready for queries; writes are refused: disk \"full\"","status":"pass")"),
            std::string::npos)
      << influx.body;
  EXPECT_EQ(ask(Method::get, "/api/v1/health/status").body,
            R"(["JVM-Thread-Deadlock: OK","Datastore-Query: OK","Writes: FAIL: writes are refused: disk \"full\""])");
  EXPECT_EQ(ask(Method::get, "/api/v1/health/check").status, 204);
  http::Gate gate;
  gate.open = true;
  add_health(router, gate, metrics, [this] { return refusing; });
  EXPECT_EQ(ask(Method::get, "/-/ready").status, 200) << "queries are answered";
  EXPECT_EQ(ask(Method::get, "/-/ready").body, "ready\nwrites are refused: disk \"full\"\n");
  refusing = "";
  EXPECT_EQ(ask(Method::get, "/-/ready").body, "ready\n");
}

TEST_F(IngestTest, Operations) {
  http::Gate gate;
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
}  // namespace varve::api
