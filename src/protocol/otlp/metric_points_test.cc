// SPDX-License-Identifier: Apache-2.0
// What points do to names and to target_info, over several requests.
#include "protocol/otlp/metric_points.h"

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include <vector>

#include "protocol/otlp/metrics_text.h"
#include "protocol/otlp/testing/metrics_json.h"
#include "protocol/otlp/testing/metrics_protobuf.h"

namespace varve::protocol::otlp {
namespace {

using testing::gauge_of;
using testing::histogram_of;
using testing::labelled;
using testing::metric_of;
using testing::metrics_of;
using testing::metrics_protobuf;
using testing::text_pair;

TEST(OtlpMetricPoints, TargetInfoIsWrittenAgainAfterAWhile) {
  const auto body = [](const std::string& host, std::int64_t time_ms) {
    return metrics_of(metric_of("m", "",
                                R"("gauge":{"dataPoints":[{"asInt":"1","timeUnixNano":")" + std::to_string(time_ms) +
                                    R"(000000"}]})"),
                      text_pair("service.name", "s") + "," + text_pair("host.name", host));
  };
  MetricsBench bench;
  std::vector<WrittenTarget> known;
  bench.target_time = [&](const codec::Hash128& resource) -> std::optional<TargetSpan> {
    for (const auto& one : known) {
      if (one.resource == resource) return one.span;
    }
    return std::nullopt;
  };
  const auto is_written = [&](const std::string& host, std::int64_t time_ms) {
    const bool is = bench.text(body(host, time_ms), true).contains("target_info");
    known.insert(known.begin(), bench.outcome.targets.begin(), bench.outcome.targets.end());
    return is;
  };
  EXPECT_TRUE(is_written("a", 1'000'000));
  EXPECT_FALSE(is_written("a", 1'149'999));
  EXPECT_TRUE(is_written("b", 1'149'999)) << "another resource";
  EXPECT_TRUE(is_written("a", 1'150'000));
  EXPECT_FALSE(is_written("a", 1'000'001));
  EXPECT_FALSE(is_written("a", 1'000'000));
  EXPECT_TRUE(is_written("a", 999'999)) << "nothing is there yet";
  EXPECT_FALSE(is_written("a", 999'999));
  EXPECT_TRUE(is_written("a", 2'000'000)) << "behind a hole";
  EXPECT_TRUE(is_written("a", 1'900'000)) << "in the hole";
  bench.naming.target_info_ms = 60'000;
  EXPECT_FALSE(is_written("a", 2'059'999));
  EXPECT_TRUE(is_written("a", 2'060'000));
}

TEST(OtlpMetricPoints, TargetInfoCoversAllPoints) {
  std::string points;
  for (const int time_s : {1000, 1001, 1600, 1100, 1149, 1200, 1300}) {
    points +=
        (points.empty() ? "" : ",") + (R"({"asInt":"1","timeUnixNano":")" + std::to_string(time_s)) + R"(000000000"})";
  }
  MetricsBench bench;
  const std::string got = bench.text(metrics_of(metric_of("m", "", R"("gauge":{"dataPoints":[)" + points + "]}"),
                                                text_pair("service.name", "s") + "," + text_pair("host.name", "h")),
                                     true);
  const std::string target = " | target_info{host_name=h,job=s} ";
  EXPECT_TRUE(got.ends_with(target + "1000000 1.0" + target + "1300000 1.0" + target + "1600000 1.0")) << got;
}

TEST(OtlpMetricPoints, WhatIsTooOldLeavesNoName) {
  MetricsBench bench;
  bench.batch.set_kept_from(10);
  EXPECT_TRUE(bench.text(gauge_of(R"({"timeUnixNano":"9000000","asInt":"1"})"), true).starts_with("! 1: m at 1970"));
  EXPECT_EQ(bench.groups.defines, 0U);
  EXPECT_EQ(bench.text(gauge_of(R"({"timeUnixNano":"10000000","asInt":"1"})"), true), "m{} 10 1");
  EXPECT_TRUE(bench.text(gauge_of(R"({"timeUnixNano":"9000000","asInt":"1"})"), true).starts_with("! 1: m at 1970"));
  EXPECT_EQ(bench.outcome.points.count(Code::too_old), 1U);
}

TEST(OtlpMetricPoints, AHistogramIsStoredWholeOrNotAtAll) {
  MetricsBench bench;
  bench.groups.groups_max = 3;
  EXPECT_EQ(
      bench.text(
          histogram_of(R"({"timeUnixNano":"5000000","count":"1","sum":1,"bucketCounts":[1,0],"explicitBounds":[1]})"),
          true),
      "! 1: too many groups");
  EXPECT_EQ(bench.outcome.points.accepted, 0U);
}

// A full tenant may have room later; such a point never has.
TEST(OtlpMetricPoints, WhatIsBeyondALimitIsNotToComeAgain) {
  std::string many = "{}";
  for (int i = 0; i < 100'000; ++i) many += ",{}";
  const std::string body = labelled(R"({"arrayValue":{"values":[)" + many + "]}}");
  for (const bool is_json : {true, false}) {
    MetricsBench bench;
    EXPECT_EQ(bench.text(is_json ? body : metrics_protobuf(body), is_json), "! 1: more than 100000 values");
    EXPECT_EQ(bench.outcome.points.count(Code::invalid), 1U);
  }
}

TEST(OtlpMetricPoints, AKnownSeriesIsGuessed) {
  std::string points;
  for (int i = 0; i < 10; ++i) {
    points += (i == 0 ? "" : ",") +
              (R"({"timeUnixNano":"5000000","asInt":"1","attributes":[)" + text_pair("host", "h" + std::to_string(i))) +
              "]}";
  }
  MetricsBench bench;
  const std::string body = metrics_protobuf(gauge_of(points));
  const std::string first = bench.text(body, false);
  EXPECT_EQ(bench.groups.defines, 10U);
  bench.groups.finds = 0;
  EXPECT_EQ(bench.text(body, false), first);
  EXPECT_EQ(bench.groups.finds, 1U);
  EXPECT_EQ(bench.text(gauge_of(points), true), first);
  bench.groups.finds = 0;
  EXPECT_EQ(bench.text(gauge_of(points), true), first);
  EXPECT_EQ(bench.groups.defines, 20U) << "JSON has raw names of its own";
  EXPECT_EQ(bench.groups.finds, 1U);
}

// A body that is refused at its end, and a histogram of which a part is refused, leave no names.
TEST(OtlpMetricPoints, WhatIsRefusedLeavesNoName) {
  const std::string good = gauge_of(R"({"timeUnixNano":"5000000","asInt":"1"})");
  MetricsBench bench;
  EXPECT_TRUE(bench.text(good.substr(0, good.size() - 1), true).starts_with("!! "));
  EXPECT_EQ(bench.groups.defines, 0U);
  EXPECT_TRUE(bench.text(metrics_protobuf(good) + "\x0a\x05\xff", false).starts_with("!! "));
  EXPECT_EQ(bench.groups.defines, 0U);
  const std::string name(1024 - std::string_view("_bucket").size() + 1, 'n');  // _sum and _count would fit
  const std::string point =
      R"("histogram":{"aggregationTemporality":2,"dataPoints":[{"timeUnixNano":"5000000","sum":1}]})";
  EXPECT_TRUE(bench.text(metrics_of(metric_of(name, "", point)), true).starts_with("! 1: "));
  EXPECT_EQ(bench.groups.defines, 0U);
  EXPECT_EQ(bench.text(good, true), "m{} 5 1");
}

// Broken ones cost more than good ones to find, so that at some number they are not looked for any more.
TEST(OtlpMetricPoints, VeryManyBrokenPoints) {
  std::string points;
  for (std::size_t i = 0; i < kBrokenMax + 5; ++i) points += std::string("\x0a\x02\x0a\x7f", 4);
  std::string gauge, metric, scope, resource, body;
  const auto wrap = [](std::string& to, char tag, const std::string& of) {
    protozero::pbf_writer(to).add_bytes(static_cast<protozero::pbf_tag_type>(tag), of);
  };
  wrap(metric, 5, points);
  wrap(scope, 2, metric);
  wrap(resource, 2, scope);
  wrap(body, 1, resource);
  MetricsBench bench;
  bench.text(body + metrics_protobuf(gauge_of(R"({"timeUnixNano":"5000000","asInt":"1"})")), false);
  EXPECT_EQ(bench.outcome.points.rejected, kBrokenMax + 6);
  EXPECT_EQ(bench.outcome.points.accepted, 0U);
}

// 20,000 attributes that become one label are as much work as they are long.
TEST(OtlpMetricPoints, VeryManyAttributesOfOneLabel) {
  std::string attributes;
  for (int i = 0; i < 20'000; ++i) {
    std::string key = "a";
    for (int bit = 0; bit < 15; ++bit) key += (i >> bit & 1) != 0 ? '.' : '-';
    attributes += (i == 0 ? "" : ",") + text_pair(key, std::string(500, 'x'));
  }
  MetricsBench bench;
  const std::string got =
      bench.text(gauge_of(R"({"timeUnixNano":"5000000","asInt":"1","attributes":[)" + attributes + "]}"), true);
  EXPECT_EQ(bench.outcome.points.accepted, 0U) << got.substr(0, 100);
}

TEST(OtlpMetricPoints, SharedNamesDoNotMultiply) {
  std::string metrics;
  for (int i = 0; i < 6000; ++i) {
    metrics += (i == 0 ? "" : ",") + metric_of("m" + std::to_string(i), "",
                                               R"("gauge":{"dataPoints":[{"timeUnixNano":"5000000","asInt":"1"}]})");
  }
  MetricsBench bench;
  bench.text(metrics_of(metrics, text_pair("service.name", std::string(4000, 's'))), true);
  EXPECT_GT(bench.outcome.points.count(Code::too_large), 1000U);
  EXPECT_GT(bench.outcome.points.accepted, 4000U);
}

}  // namespace
}  // namespace varve::protocol::otlp
