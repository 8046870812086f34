// SPDX-License-Identifier: Apache-2.0
// CPU per sample of OTLP's metrics in requests of 10,000 points, names known, with the labels of the benchmark of
// remote write: as attributes of the points of ten metrics, or as those of a resource for each host.
#include <string>

#include <benchmark/benchmark.h>
#include <protozero/pbf_writer.hpp>

#include "protocol/otlp/metrics.h"
#include "protocol/testing/null_groups.h"

namespace varve::protocol::otlp {
namespace {

constexpr int kHosts = 1000, kMetrics = 10;
constexpr std::uint64_t kBenchTimeNs = 1'451'606'400'000'000'000;

std::string bench_labels(unsigned number, int host) {
  const std::pair<const char*, std::string> all[] = {{"arch", "x86"},
                                                     {"datacenter", "eu-central-1a"},
                                                     {"hostname", "host_" + std::to_string(host)},
                                                     {"os", "Ubuntu15.10"},
                                                     {"rack", "6"},
                                                     {"region", "eu-central-1"},
                                                     {"service", "19"},
                                                     {"service_environment", "test"},
                                                     {"service_version", "1"},
                                                     {"team", "SF"}};
  std::string bytes;
  protozero::pbf_writer to(bytes);
  for (const auto& [key, value] : all) {
    protozero::pbf_writer pair(to, number);
    pair.add_string(1, key);
    protozero::pbf_writer any(pair, 2);
    any.add_string(1, value);
  }
  return bytes;
}

std::string number_point(const std::string& attributes, int value) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  to.add_fixed64(2, kBenchTimeNs - 1);
  to.add_fixed64(3, kBenchTimeNs);
  to.add_double(4, value % 100);
  return bytes + attributes;
}

std::string bench_metric(int metric, const std::string& points) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  to.add_string(1, "cpu.usage.metric." + std::to_string(metric));
  to.add_string(3, "%");
  to.add_message(5, points);
  return bytes;
}

std::string bench_request(const std::string& resource, const std::string& metrics) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  protozero::pbf_writer of(request, 1);
  of.add_message(1, resource);
  of.add_message(2, metrics);
  return bytes;
}

std::string labels_on_points() {
  std::string metrics;
  for (int metric = 0; metric < kMetrics; ++metric) {
    std::string points;
    protozero::pbf_writer to(points);
    for (int host = 0; host < kHosts; ++host) to.add_message(1, number_point(bench_labels(7, host), host * 7 + metric));
    protozero::pbf_writer(metrics).add_message(2, bench_metric(metric, points));
  }
  return bench_request({}, metrics);
}

std::string labels_on_resources() {
  std::string body;
  for (int host = 0; host < kHosts; ++host) {
    std::string metrics;
    for (int metric = 0; metric < kMetrics; ++metric) {
      std::string points;
      protozero::pbf_writer(points).add_message(1, number_point({}, host * 7 + metric));
      protozero::pbf_writer(metrics).add_message(2, bench_metric(metric, points));
    }
    body += bench_request(bench_labels(1, host), metrics);
  }
  return body;
}

// 625 points of 16 samples: the sum, the count and 14 buckets.
std::string histograms() {
  std::string points;
  for (int host = 0; host < 625; ++host) {
    std::string bytes;
    protozero::pbf_writer to(bytes);
    to.add_fixed64(3, kBenchTimeNs);
    to.add_fixed64(4, 26);
    to.add_double(5, 5.5);
    {
      protozero::packed_field_fixed64 counts(to, 6);
      for (int i = 0; i < 14; ++i) counts.add_element(static_cast<std::uint64_t>(i % 5));
    }
    {
      protozero::packed_field_double bounds(to, 7);
      for (int i = 0; i < 13; ++i) bounds.add_element(i / 8.0);
    }
    protozero::pbf_writer(points).add_message(1, bytes + bench_labels(9, host));
  }
  const std::string temporality("\x10\x02");
  std::string metric;
  protozero::pbf_writer to(metric);
  to.add_string(1, "http.server.request.duration");
  to.add_string(3, "s");
  to.add_message(9, points + temporality);
  std::string metrics;
  protozero::pbf_writer(metrics).add_message(2, metric);
  return bench_request({}, metrics);
}

std::string labels_on_points_json() {
  std::string body = R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[)";
  for (int metric = 0; metric < kMetrics; ++metric) {
    body += (metric == 0 ? "" : ",") + (R"({"name":"cpu.usage.metric.)" + std::to_string(metric)) +
            R"(","unit":"%","gauge":{"dataPoints":[)";
    for (int host = 0; host < kHosts; ++host) {
      body += (host == 0 ? "" : ",") + std::string(R"({"startTimeUnixNano":"1451606399999999999",)") +
              R"("timeUnixNano":"1451606400000000000","asDouble":)" + std::to_string(host % 100) + R"(,"attributes":[)";
      for (int label = 0; label < 10; ++label) {
        body += (label == 0 ? "" : ",") + (R"({"key":"label)" + std::to_string(label)) +
                R"(","value":{"stringValue":")" + std::to_string(host) + "\"}}";
      }
      body += "]}";
    }
    body += "]}}";
  }
  return body + "]}]}]}";
}

template <class Parse>
void run_metrics(benchmark::State& state, const std::string& body, const Parse& parse, bool keeps_names = true) {
  testing::NullGroups groups(keeps_names);
  const MetricNaming naming;
  const TargetTime target_time = [](const codec::Hash128&) {
    return TargetSpan{kBenchTimeNs / 1'000'000, kBenchTimeNs / 1'000'000};
  };
  model::RowBatch batch;
  const auto parse_once = [&] {
    batch.clear();
    return parse(body, naming, target_time, groups, batch, nullptr)->points.accepted;
  };
  parse_once();
  std::size_t samples = 0;
  for (auto _ : state) samples += parse_once();
  state.SetBytesProcessed(static_cast<std::int64_t>(body.size()) * state.iterations());
  state.counters["per_sample"] =
      benchmark::Counter(static_cast<double>(samples), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void otlp_metrics_points(benchmark::State& state) { run_metrics(state, labels_on_points(), parse_metrics_protobuf); }
void otlp_metrics_points_by_hash(benchmark::State& state) {
  run_metrics(state, labels_on_points(), parse_metrics_protobuf, false);
}
void otlp_metrics_resources(benchmark::State& state) {
  run_metrics(state, labels_on_resources(), parse_metrics_protobuf);
}
void otlp_metrics_histograms(benchmark::State& state) { run_metrics(state, histograms(), parse_metrics_protobuf); }
void otlp_metrics_json(benchmark::State& state) { run_metrics(state, labels_on_points_json(), parse_metrics_json); }

BENCHMARK(otlp_metrics_points)->Unit(benchmark::kMillisecond);
BENCHMARK(otlp_metrics_points_by_hash)->Unit(benchmark::kMillisecond);
BENCHMARK(otlp_metrics_resources)->Unit(benchmark::kMillisecond);
BENCHMARK(otlp_metrics_histograms)->Unit(benchmark::kMillisecond);
BENCHMARK(otlp_metrics_json)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::protocol::otlp
