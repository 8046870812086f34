// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/metrics.h"

#include <gtest/gtest.h>

#include <vector>

#include <protozero/pbf_writer.hpp>

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
using testing::sum_of;
using testing::summary_of;
using testing::text_pair;

struct MetricCase {
  std::string body;
  std::string want;
};

// In both forms, and when the series are known, too; with their names and by their hashes.
void expect_metrics(const std::vector<MetricCase>& cases, const MetricNaming& naming = {}) {
  for (const MetricCase& one : cases) {
    for (const bool is_json : {true, false}) {
      for (const bool keeps_names : {true, false}) {
        MetricsBench bench;
        bench.naming = naming;
        bench.groups.keep_names = keeps_names;
        // Memory of exactly its size, so that the sanitizer sees reads behind it.
        const std::string text = is_json ? one.body : metrics_protobuf(one.body);
        const std::vector<char> body(text.begin(), text.end());
        const std::string_view view(body.data(), body.size());
        EXPECT_EQ(bench.text(view, is_json), one.want) << one.body << (is_json ? "" : " in protobuf");
        const std::size_t defined = bench.groups.defines;
        EXPECT_EQ(bench.text(view, is_json), one.want) << one.body << " when known";
        if (!one.want.contains("! ")) EXPECT_EQ(bench.groups.defines, defined) << one.body;
      }
    }
  }
}

TEST(OtlpMetrics, Numbers) {
  expect_metrics({
      {gauge_of(R"({"timeUnixNano":"5000000","asDouble":1.5})"), "m{} 5 1.5"},
      {gauge_of(R"({"timeUnixNano":"5999999","asDouble":7})"), "m{} 5 7.0"},
      {gauge_of(R"({"asInt":"7","timeUnixNano":"5000000"})"), "m{} 5 7"},
      {gauge_of(R"({"timeUnixNano":"5000000","asInt":"-9223372036854775808"})"), "m{} 5 -9223372036854775808"},
      {gauge_of(R"({"timeUnixNano":"5000000","asDouble":0})"), "m{} 5 0.0"},
      {gauge_of(R"({"timeUnixNano":"5000000","asDouble":-0.0})"), "m{} 5 -0.0"},
      {gauge_of(R"({"timeUnixNano":"5000000","asDouble":"NaN"})"), "m{} 5 nan"},
      {gauge_of(R"({"timeUnixNano":"5000000","asDouble":"-Infinity"})"), "m{} 5 -inf"},
      {gauge_of(R"({"timeUnixNano":"18446744073709551615","asInt":"1"})"), "m{} 18446744073709 1"},
      {gauge_of(R"({"timeUnixNano":"5000000","asInt":"1","flags":2})"), "m{} 5 1"},
      {gauge_of(R"({"timeUnixNano":"5000000","startTimeUnixNano":"1","asInt":"1"})"), "m{} 5 1"},
      {gauge_of(R"({"timeUnixNano":"5000000","asInt":"1"},{"timeUnixNano":"6000000","asInt":"2"})"),
       "m{} 5 1 | m{} 6 2"},
      {gauge_of(R"({"timeUnixNano":"5000000","asInt":"1","exemplars":[{"asDouble":1},{"asDouble":2}]})"),
       "m{} 5 1 | exemplars 2"},
      {gauge_of(""), ""},
      {"{}", ""},
      {metrics_of(R"({"name":"m"})"), ""},
      {R"({"resourceMetrics":[{"scopeMetrics":[{"scope":{"name":"s"},"metrics":[]}]},{}]})", ""},
  });
}

TEST(OtlpMetrics, WhatSaysThatASeriesHasEnded) {
  // Of a series that nobody knows there is nothing to end.
  expect_metrics({
      {gauge_of(R"({"timeUnixNano":"5000000","flags":1})"), ""},
      {gauge_of(R"({"timeUnixNano":"5000000","flags":1,"asInt":"7"})"), ""},
      {histogram_of(R"({"timeUnixNano":"5000000","flags":1})"), ""},
      {summary_of(R"({"timeUnixNano":"5000000","flags":1,"quantileValues":[{"quantile":0.5}]})"), ""},
      {gauge_of(R"({"timeUnixNano":"5000000","asInt":"1"},{"timeUnixNano":"6000000","flags":1})"),
       "m{} 5 1 | m{} 6 stale"},
  });
}

TEST(OtlpMetrics, Sums) {
  expect_metrics({
      {sum_of(R"("aggregationTemporality":2,"isMonotonic":true,)"), "m_total{} 5 1"},
      {sum_of(R"("aggregationTemporality":2,"isMonotonic":false,)"), "m{} 5 1"},
      {sum_of(R"("aggregationTemporality":1,"isMonotonic":true,)"), "m_total{} 5 1"},
      {sum_of(R"("aggregationTemporality":1,)"), "m{} 5 1"},
      {sum_of(""), "! 1: 'm' has no aggregation temporality"},
      {sum_of(R"("aggregationTemporality":7,)"), "! 1: 'm' has no aggregation temporality"},
      {metrics_of(R"({"name":"m","sum":{"dataPoints":[{"timeUnixNano":"5000000","asInt":"1"}],)"
                  R"("isMonotonic":true,"aggregationTemporality":2}})"),
       "m_total{} 5 1"},
  });
  MetricsBench bench;
  EXPECT_EQ(bench.text(sum_of(R"("aggregationTemporality":"AGGREGATION_TEMPORALITY_DELTA",)"), true), "m{} 5 1");
  EXPECT_EQ(bench.text(sum_of(R"("aggregationTemporality":"AGGREGATION_TEMPORALITY_CUMULATIVE",)"), true), "m{} 5 1");
}

TEST(OtlpMetrics, Histograms) {
  expect_metrics({
      {histogram_of(R"({"timeUnixNano":"5000000","count":"6","sum":2.5,"bucketCounts":["1","2","3"],)"
                    R"("explicitBounds":[0.005,10]})"),
       "m_seconds_sum{} 5 2.5 | m_seconds_count{} 5 6 | m_seconds_bucket{le=0.005} 5 1 | m_seconds_bucket{le=10} 5 3 | "
       "m_seconds_bucket{le=+Inf} 5 6"},
      {histogram_of(R"({"timeUnixNano":"5000000","count":"6","sum":2.5,"bucketCounts":["6"]})"),
       "m_seconds_sum{} 5 2.5 | m_seconds_count{} 5 6 | m_seconds_bucket{le=+Inf} 5 6"},
      {histogram_of(R"({"timeUnixNano":"5000000","count":"6"})"),
       "m_seconds_count{} 5 6 | m_seconds_bucket{le=+Inf} 5 6"},
      {histogram_of(
           R"({"timeUnixNano":"5000000","count":"1","bucketCounts":["1","0"],"explicitBounds":[1e21],)"
           R"("attributes":[{"key":"a","value":{"stringValue":"b"}},{"key":"le","value":{"stringValue":"x"}}]})"),
       "m_seconds_count{a=b,le=x} 5 1 | m_seconds_bucket{a=b,le=1000000000000000000000} 5 1 | "
       "m_seconds_bucket{a=b,le=+Inf} 5 1"},
      {histogram_of(R"({"timeUnixNano":"5000000","count":"18446744073709551615"})"),
       "m_seconds_count{} 5 18446744073709551616.0 | m_seconds_bucket{le=+Inf} 5 18446744073709551616.0"},
      {histogram_of(R"({"timeUnixNano":"5000000","count":"1","exemplars":[{"asDouble":1}]})"),
       "m_seconds_count{} 5 1 | m_seconds_bucket{le=+Inf} 5 1 | exemplars 1"},
      {metrics_of(metric_of("m", "", R"("histogram":{"dataPoints":[{"timeUnixNano":"5000000"}]})")),
       "! 1: 'm' has no aggregation temporality"},
  });
}

TEST(OtlpMetrics, Summaries) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "{},";
  expect_metrics({
      {summary_of(R"({"timeUnixNano":"5000000","count":"3","sum":9,)"
                  R"("quantileValues":[{"quantile":0.5,"value":2},{"quantile":1,"value":4.5}]})"),
       "m_sum{} 5 9.0 | m_count{} 5 3 | m{quantile=0.5} 5 2.0 | m{quantile=1} 5 4.5"},
      {summary_of(R"({"timeUnixNano":"5000000"})"), "m_sum{} 5 0.0 | m_count{} 5 0"},
      {summary_of(R"({"timeUnixNano":"5000000","quantileValues":[)" + many + "{}]}"), "! 1: more than 1000 quantiles"},
  });
}

TEST(OtlpMetrics, MetadataAreTold) {
  const std::string body = metrics_of(
      R"({"name":"a.b","description":"Of \"a\".","unit":"By","sum":{"isMonotonic":true,"aggregationTemporality":2}},)"
      R"({"name":"s","sum":{"aggregationTemporality":2,"dataPoints":[{"timeUnixNano":"5000000","asInt":"1"}]}},)"
      R"({"name":"r","unit":"1","gauge":{"dataPoints":[]}},{"name":"h","unit":"s","histogram":{"aggregationTemporality":1}},)"
      R"({"name":"q","summary":{}},{"name":"none"},{"name":"e","exponentialHistogram":{}},{"name":"bad","sum":{}})");
  for (const bool is_json : {true, false}) {
    MetricsBench bench;
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(bench.text(is_json ? body : metrics_protobuf(body), is_json), "s{} 5 1");
      EXPECT_EQ(bench.described,
                (std::vector<std::string>{"counter a_b_bytes_total [By] Of \"a\".", "gauge s [] ", "gauge r_ratio [1] ",
                                          "histogram h_seconds [s] ", "summary q [] "}))
          << is_json;
    }
  }
}

TEST(OtlpMetrics, ExponentialHistogramsAreRefused) {
  expect_metrics({
      {metrics_of(metric_of("m", "",
                            R"("exponentialHistogram":{"aggregationTemporality":2,"dataPoints":[)"
                            R"({"timeUnixNano":"5000000"},{"timeUnixNano":"6000000"}]})") +
                  "," + metric_of("n", "", R"("gauge":{"dataPoints":[{"timeUnixNano":"5000000","asInt":"1"}]})")),
       "n{} 5 1 | ! 1: 'm' is an exponential histogram, which is not stored yet; send explicit buckets | "
       "! 2: 'm' is an exponential histogram, which is not stored yet; send explicit buckets"},
  });
}

TEST(OtlpMetrics, AttributesAreLabels) {
  expect_metrics({
      {labelled(R"({"stringValue":"x y"})"), "m{k=x y} 5 1"},
      {labelled(R"({"stringValue":""})"), "m{} 5 1"},
      {labelled(R"({"boolValue":true})"), "m{k=true} 5 1"},
      {labelled(R"({"intValue":"-5"})"), "m{k=-5} 5 1"},
      {labelled(R"({"doubleValue":5})"), "m{k=5} 5 1"},
      {labelled(R"({"doubleValue":1.5e-7})"), "m{k=1.5e-7} 5 1"},
      {labelled(R"({"doubleValue":1e20})"), "m{k=100000000000000000000} 5 1"},
      {labelled(R"({"doubleValue":1e21})"), "m{k=1e+21} 5 1"},
      {labelled(R"({"doubleValue":0.000001})"), "m{k=0.000001} 5 1"},
      {labelled(R"({"doubleValue":"NaN"})"), "m{k=NaN} 5 1"},
      {labelled(R"({"bytesValue":"AAE="})"), "m{k=AAE=} 5 1"},
      {labelled(R"({"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"a"},{"boolValue":true},{}]}})"),
       R"(m{k=[1,"a",true,null]} 5 1)"},
      {labelled(
           R"({"kvlistValue":{"values":[{"key":"b","value":{"intValue":"1"}},{"key":"a","value":{"doubleValue":2.5}}]}})"),
       R"(m{k={"a":2.5,"b":1}} 5 1)"},
      {labelled(R"({"arrayValue":{}})"), "m{k=[]} 5 1"},
      {labelled(R"({"arrayValue":{"values":[{"stringValue":"<a&b>\n\t\u0001\u2028"}]}})"),
       R"(m{k=["<a&b>\n\t\u0001\u2028"]} 5 1)"},
      {labelled(
           R"({"kvlistValue":{"values":[{"key":"a","value":{"intValue":"1"}},{"key":"a","value":{"intValue":"2"}}]}})"),
       R"(m{k={"a":2}} 5 1)"},
      {labelled("{}"), "m{} 5 1"},
  });
  const auto with = [](const std::string& attributes) {
    return gauge_of(R"({"timeUnixNano":"5000000","asInt":"1","attributes":[)" + attributes + "]}");
  };
  expect_metrics({
      {with(text_pair("a_b", "2") + "," + text_pair("a.b", "1")), "m{a_b=1;2} 5 1"},
      {with(text_pair("a", "1") + "," + text_pair("a", "2")), "m{a=1;2} 5 1"},
      {with(text_pair("1st", "x") + "," + text_pair("_y", "z")), "m{key_1st=x,key_y=z} 5 1"},
      {with(text_pair("__name__", "x")), "m{} 5 1"},
      {with(text_pair("", "x")), "! 1: an attribute has no name"},
      {with(text_pair("..", "x")), "! 1: the attribute name '..' leaves no name"},
      {with(text_pair("b", std::string(5000, 'x'))), "! 1: the value of tag 'b' has 5000 bytes; at most 4096"},
      {with(text_pair("b", std::string(300, 'x')) + "," + text_pair("a", "y")),
       "m{a=y,b=" + std::string(300, 'x') + "} 5 1"},
  });
  expect_metrics({{with(text_pair("a.b", "1")), "m{a.b=1} 5 1"}}, {{false, true}, {}});
}

TEST(OtlpMetrics, ResourcesAreJobAndInstance) {
  const auto of = [](const std::string& resource, const std::string& attributes = "") {
    return metrics_of(metric_of("m", "",
                                R"("gauge":{"dataPoints":[{"timeUnixNano":"5000000","asInt":"1","attributes":[)" +
                                    attributes + "]}]}"),
                      resource);
  };
  const std::string name = text_pair("service.name", "cart");
  const std::string space = text_pair("service.namespace", "shop");
  const std::string instance = text_pair("service.instance.id", "i1");
  const std::string host = text_pair("host.name", "h");
  expect_metrics({
      {of(name), "m{job=cart} 5 1"},
      {of(name + "," + space + "," + instance), "m{instance=i1,job=shop/cart} 5 1"},
      {of(instance + "," + host), "m{instance=i1} 5 1 | target_info{host_name=h,instance=i1} 5 1.0"},
      {of(space), "m{} 5 1"},
      {of(host), "m{} 5 1"},
      {of(name + "," + host + "," + text_pair("host_name", "g")),
       "m{job=cart} 5 1 | target_info{host_name=h;g,job=cart} 5 1.0"},
      {of(name, text_pair("job", "mine")), "m{job=cart} 5 1"},
      {of(name + "," + host + "," + text_pair("..", "x")),
       "m{job=cart} 5 1 | note: target_info is not stored: the attribute name '..' leaves no name"},
  });
  expect_metrics(
      {
          {of(name + "," + host), "m{host_name=h,job=cart} 5 1 | target_info{host_name=h,job=cart} 5 1.0"},
          {of(name + "," + host, text_pair("host_name", "own")),
           "m{host_name=own,job=cart} 5 1 | target_info{host_name=h,job=cart} 5 1.0"},
      },
      {{}, {"host.name", "absent"}});
  // What job is made of is not on target_info, also where it is promoted, as Prometheus has it.
  expect_metrics(
      {{of(name + "," + host), "m{job=cart,service_name=cart} 5 1 | target_info{host_name=h,job=cart} 5 1.0"}},
      {{}, {"service.name"}});
  // A resource behind what it is of.
  expect_metrics({{R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[)"
                   R"({"timeUnixNano":"5000000","asInt":"1"}]}}]}],"resource":{"attributes":[)" +
                       name + "]}}]}",
                   "m{job=cart} 5 1"}});
}

TEST(OtlpMetrics, OneResourceIsNotAnother) {
  const auto one = [](const std::string& job, const std::string& metric, const std::string& unit) {
    return R"({"resource":{"attributes":[)" + text_pair("service.name", job) + R"(]},"scopeMetrics":[{"metrics":[)" +
           metric_of(metric, unit, R"("gauge":{"dataPoints":[{"timeUnixNano":"5000000","asInt":"1"}]})") + "]}]}";
  };
  expect_metrics({{R"({"resourceMetrics":[)" + one("a", "m", "") + "," + one("b", "m", "") + "," + one("b", "m", "s") +
                       "," + one("a", "ms", "") + "]}",
                   "m{job=a} 5 1 | m{job=b} 5 1 | m_seconds{job=b} 5 1 | ms{job=a} 5 1"}});
}

TEST(OtlpMetrics, BadPointsCostNoOther) {
  const std::string good = R"({"timeUnixNano":"5000000","asInt":"1"})";
  expect_metrics({
      {gauge_of(good + R"(,{"timeUnixNano":"5000000"},)" + good), "m{} 5 1 | m{} 5 1 | ! 2: the point has no value"},
      {gauge_of(R"({"asInt":"1"})"), "! 1: the point has no time"},
      {metrics_of(metric_of("", "", R"("gauge":{"dataPoints":[)" + good + "]}")), "! 1: the metric has no name"},
      {metrics_of(metric_of("@", "", R"("gauge":{"dataPoints":[)" + good + "]}")),
       "! 1: the metric name '@' leaves no name"},
      {metrics_of(metric_of(std::string(1025, 'm'), "", R"("gauge":{"dataPoints":[)" + good + "]}")),
       "! 1: the metric name has 1025 bytes; at most 1024"},
  });
}

TEST(OtlpMetrics, BadJson) {
  const auto expect_json = [](const std::string& body, const std::string& want) {
    MetricsBench bench;
    EXPECT_EQ(bench.text(body, true), want) << body;
  };
  const std::pair<const char*, const char*> kPoints[] = {
      {R"({"timeUnixNano":"now","asInt":"1"})", "timeUnixNano is not a whole number of 64 bits"},
      {R"({"timeUnixNano":"5000000","asInt":"1.5"})", "asInt is not a whole number of 64 bits"},
      {R"({"timeUnixNano":"5000000","asDouble":"x"})", "asDouble is not a number"},
      {R"({"timeUnixNano":"5000000","asInt":"1","asDouble":1})", "the point has both asInt and asDouble"},
      {R"({"timeUnixNano":"5000000","asInt":"1","flags":-1})", "flags is not a whole number of 32 bits"},
      {R"({"timeUnixNano":"5000000","asInt":"1","attributes":{}})", "attributes is not a list"},
      {R"({"timeUnixNano":"5000000","asInt":"1","attributes":[5]})", "an attribute is not an object"},
  };
  for (const auto& [point, why] : kPoints) {
    expect_json(gauge_of(std::string(point) + R"(,{"timeUnixNano":"5000000","asInt":"2"})"),
                "m{} 5 2 | ! 1: " + std::string(why));
  }
  expect_json(histogram_of(R"({"timeUnixNano":"5000000","bucketCounts":5})"), "! 1: bucketCounts is not a list");
  expect_json(histogram_of(R"({"timeUnixNano":"5000000","bucketCounts":[-1]})"),
              "! 1: an item of bucketCounts is not a whole number of 64 bits");
  expect_json(histogram_of(R"({"timeUnixNano":"5000000","explicitBounds":[{}]})"),
              "! 1: an item of explicitBounds is not a number");
  expect_json(summary_of(R"({"timeUnixNano":"5000000","quantileValues":[5]})"),
              "! 1: an item of quantileValues is not an object");
  expect_json(sum_of(R"("aggregationTemporality":"x",)"),
              "! 1: aggregationTemporality is not a whole number of 32 bits");
  expect_json(sum_of(R"("aggregationTemporality":2,"isMonotonic":1,)"), "! 1: isMonotonic is not true or false");
  expect_json(R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":5,"gauge":{"dataPoints":[{}]}}]}]}]})",
              "! 1: name is not a text");
  expect_json(
      R"({"resourceMetrics":[{"resource":5,"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{}]}}]}]}]})",
      "! 1: resource is not an object");
  expect_json("", "!! not JSON: End of input at line 1 column 1");
  expect_json("5", "!! the body is not an object");
  expect_json(R"({"resourceMetrics":{}})", "!! resourceMetrics is not a list");
  expect_json(R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[5]}]}]})", "!! an item of metrics is not an object");
  expect_json(metrics_of(R"({"gauge":5})"), "!! gauge is not an object");
  expect_json(metrics_of(R"({"gauge":{"dataPoints":{}}})"), "!! dataPoints is not a list");
  expect_json(gauge_of("5"), "!! an item of dataPoints is not an object");
}

std::string framed(unsigned number, const std::string& bytes) {
  std::string out;
  protozero::pbf_writer(out).add_message(number, bytes);
  return out;
}
// A gauge `m` with this point.
std::string gauge_in_protobuf(const std::string& point) {
  return framed(1, framed(2, framed(2, framed(1, "m") + framed(5, framed(1, point)))));
}

TEST(OtlpMetrics, BadProtobuf) {
  const auto text = [](const std::string& bytes) {
    MetricsBench bench;
    const std::vector<char> body(bytes.begin(), bytes.end());
    return bench.text({body.data(), body.size()}, false);
  };
  const std::string no_request = "!! the body is not an ExportMetricsServiceRequest in protobuf";
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("\x0a\x05x"), no_request);
  EXPECT_EQ(text(framed(1, "\x12\x05x")), no_request);
  EXPECT_EQ(text(gauge_in_protobuf("\x19\x01")), "! 1: the point is not valid protobuf");
  const std::string time("\x19\x40\x4b\x4c\0\0\0\0\0", 9);
  const std::string value("\x31\x01\0\0\0\0\0\0\0", 9);
  EXPECT_EQ(text(gauge_in_protobuf(time + value)), "m{} 5 1");
  EXPECT_EQ(text(gauge_in_protobuf(time + value + "\x3a\x05x")), "! 1: the point is not valid protobuf");
  EXPECT_EQ(text(gauge_in_protobuf(time + value + "\x3a\x01\x0a")), "! 1: an attribute is not valid protobuf");
  EXPECT_EQ(text(gauge_in_protobuf(time + value + framed(7, framed(1, "\xff")))), "! 1: an attribute is not UTF-8");
  EXPECT_EQ(text(framed(1, framed(2, framed(2, framed(1, "\xff") + framed(5, framed(1, time + value)))))),
            "! 1: the metric's name or unit is not UTF-8");
  EXPECT_EQ(text(gauge_in_protobuf(time + value + "\x7a\x01x")), "m{} 5 1") << "an unknown field";
  const std::string a = framed(7, framed(1, "a") + framed(2, framed(1, "1")));
  const std::string b = framed(7, framed(1, "b") + framed(2, framed(1, "2")));
  EXPECT_EQ(text(gauge_in_protobuf(a + time + b + value)), "m{a=1,b=2} 5 1") << "attributes apart";
  MetricsBench bench;
  const auto again = [&](const std::string& point) { return bench.text(gauge_in_protobuf(point), false); };
  EXPECT_EQ(again(time + value + a), "m{a=1} 5 1");
  EXPECT_EQ(again(time + value + a + b), "m{a=1,b=2} 5 1") << "more than those that came before";
  EXPECT_EQ(again(a + time + value + b), "m{a=1,b=2} 5 1") << "and apart";
  EXPECT_EQ(again(time + value), "m{} 5 1");
  EXPECT_EQ(again(time + value + b), "m{b=2} 5 1");
  EXPECT_EQ(again(a + time + value), "m{a=1} 5 1");
  EXPECT_EQ(text(gauge_in_protobuf(a + b + time + value)), "m{a=1,b=2} 5 1");
}

TEST(OtlpMetrics, Responses) {
  MetricOutcome outcome;
  EXPECT_EQ(metrics_response_json(outcome), "{}");
  EXPECT_EQ(metrics_response_protobuf(outcome), "");
  outcome.note = "n";
  EXPECT_EQ(metrics_response_json(outcome), R"({"partialSuccess":{"rejectedDataPoints":"0","errorMessage":"n"}})");
  EXPECT_EQ(metrics_response_protobuf(outcome), "\x0a\x03\x12\x01n");
  outcome.points.reject(3, {Code::invalid, "x"});
  EXPECT_EQ(metrics_response_json(outcome),
            R"({"partialSuccess":{"rejectedDataPoints":"1","errorMessage":"point 3: x; n"}})");
}

}  // namespace
}  // namespace varve::protocol::otlp
