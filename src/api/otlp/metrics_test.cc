// SPDX-License-Identifier: Apache-2.0
// OTLP's metrics over stores that only remember: status, shape, what was appended.
#include <gtest/gtest.h>

#include "api/otlp/metrics_routes.h"
#include "api/otlp/told_targets.h"
#include "api/testing/waiting_sink.h"
#include "api/testing/whole_context.h"
#include "write/testing/fake_stores.h"

namespace varve::api {
namespace {

constexpr std::string_view kPointJson =
    R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"timeUnixNano":"5000000","asInt":"1"}]}}]}]}]})";

class OtlpMetricsTest : public ::testing::Test {
 protected:
  OtlpMetricsTest() { add_otlp_metrics_routes(router_, whole_.of(engine_, pool_, metrics_, {.writer = &writer_})); }

  Response post(std::string_view body, std::string type = "application/json", std::string path = "/v1/metrics") {
    body_ = std::string(body) + std::string(http::kBodyPadding, '\0');
    Request request;
    request.method = Method::post;
    request.path = std::move(path);
    request.tenant = "t";
    request.headers = {{"content-type", std::move(type)}};
    request.body = std::string_view(body_).substr(0, body.size());
    return answer_of(router_, request);
  }

  write::testing::FakeSeriesStore series_;
  write::testing::FakeSampleStore samples_;
  Metrics metrics_;
  ManualClock clock_;
  write::Writer writer_{series_, samples_, {.metrics = &metrics_, .clock = &clock_}};
  storage::testing::MemoryStore empty_;
  query::Engine engine_{empty_, empty_, clock_, {}};
  TaskPool pool_{1};
  testing::WholeContext whole_{empty_, clock_};
  Router router_;
  std::string body_;
};

TEST_F(OtlpMetricsTest, AnswersInTheRequestsForm) {
  const Response json = post(kPointJson);
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(json.body, "{}");
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_EQ(samples_.appended, 1U);
  const Response protobuf = post("", "application/x-protobuf; charset=x");
  EXPECT_EQ(protobuf.status, 200);
  EXPECT_EQ(protobuf.body, "");
  EXPECT_EQ(protobuf.content_type, "application/x-protobuf");
  EXPECT_EQ(post(kPointJson, "application/json", "/api/v1/otlp/v1/metrics").status, 200);
  EXPECT_EQ(samples_.appended, 2U);
}

TEST_F(OtlpMetricsTest, WhatIsNotReadable) {
  const Response json = post("{");
  EXPECT_EQ(json.status, 400);
  EXPECT_TRUE(json.body.starts_with(R"({"code":3,"message":"not JSON)")) << json.body;
  const Response protobuf = post("\x0a\x05x", "application/x-protobuf");
  EXPECT_EQ(protobuf.status, 400);
  EXPECT_TRUE(protobuf.body.starts_with("\x08\x03\x12")) << protobuf.body;
  EXPECT_EQ(post(kPointJson, "text/plain").status, 415);
  EXPECT_EQ(post(kPointJson, "").status, 415);
  EXPECT_EQ(samples_.appended, 0U);
}

TEST_F(OtlpMetricsTest, BadPointsAreCounted) {
  const Response partial = post(
      R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"timeUnixNano":"5000000"},{"timeUnixNano":"5000000","asInt":"1"}]}}]}]}]})");
  EXPECT_EQ(partial.status, 200);
  EXPECT_EQ(partial.body,
            R"({"partialSuccess":{"rejectedDataPoints":"1","errorMessage":"point 1: the point has no value"}})");
  EXPECT_EQ(samples_.appended, 1U);
}

TEST_F(OtlpMetricsTest, AFullTenantIs429AndAStoreThatCannotTakeIt503) {
  EXPECT_EQ(post(kPointJson).status, 200);
  series_.refuse = true;
  std::string other(kPointJson);
  other.replace(other.find("\"m\""), 3, "\"n\"");
  const Response full = post(other);
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(header_of(full, "Retry-After"), "10");
  EXPECT_EQ(full.body, R"({"code":8,"message":"point 1: too many series"})");
  series_.refuse = false;
  samples_.refuse = true;
  const Response away = post(kPointJson);
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(header_of(away, "Retry-After"), "1");
  EXPECT_EQ(away.body, R"({"code":14,"message":"the disk is full"})");
}

TEST_F(OtlpMetricsTest, TargetInfoIsRememberedOnceItIsStored) {
  const std::string body =
      R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}},{"key":"a","value":{"stringValue":"b"}}]},)"
      R"("scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"timeUnixNano":"5000000","asInt":"1"}]}}]}]}]})";
  samples_.refuse = true;
  EXPECT_EQ(post(body).status, 503);
  samples_.refuse = false;
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(samples_.appended, 4U) << "twice the point and target_info";
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(samples_.appended, 5U) << "the point alone";
}

TEST(OtlpToldTargets, AreOfATenantAndBounded) {
  using protocol::otlp::TargetSpan;
  ToldTargets told(4);
  const auto resource = [](std::uint64_t n) { return codec::Hash128{n, n}; };
  EXPECT_EQ(told.span("a", resource(1)), std::nullopt);
  told.note("a", resource(1), {1, 5});
  EXPECT_EQ(told.span("a", resource(1)), (TargetSpan{1, 5}));
  EXPECT_EQ(told.span("b", resource(1)), std::nullopt);
  told.note("a", resource(1), {1, 7});
  EXPECT_EQ(told.span("a", resource(1)), (TargetSpan{1, 7}));
  told.note("a", resource(2), {8, 8});
  EXPECT_EQ(told.span("a", resource(1)), (TargetSpan{1, 7})) << "of the older half";
  told.note("a", resource(3), {9, 9});
  told.note("a", resource(4), {9, 9});
  EXPECT_EQ(told.span("a", resource(1)), std::nullopt);
  EXPECT_EQ(told.span("a", resource(3)), (TargetSpan{9, 9}));
}

}  // namespace
}  // namespace varve::api
