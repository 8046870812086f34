// SPDX-License-Identifier: Apache-2.0
// CPU per sample of remote write, one sample a series, labels as the TSBS cpu-only use case has them.
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <protozero/pbf_writer.hpp>

#include "protocol/prometheus/remote_write.h"
#include "protocol/testing/null_groups.h"

namespace varve::protocol::prometheus {
namespace {

std::string series_of(int metric, int host, double value, std::int64_t time) {
  std::string bytes;
  protozero::pbf_writer series(bytes);
  const auto label = [&](const std::string& name, const std::string& value_text) {
    protozero::pbf_writer to(series, 1);
    to.add_string(1, name);
    to.add_string(2, value_text);
  };
  label("__name__", "cpu_usage_metric_" + std::to_string(metric));
  label("arch", "x86");
  label("datacenter", "eu-central-1a");
  label("hostname", "host_" + std::to_string(host));
  label("os", "Ubuntu15.10");
  label("rack", "6");
  label("region", "eu-central-1");
  label("service", "19");
  label("service_environment", "test");
  label("service_version", "1");
  label("team", "SF");
  protozero::pbf_writer to(series, 2);
  to.add_double(1, value);
  to.add_int64(2, time);
  return bytes;
}

void run(benchmark::State& state, int hosts, bool whole, bool keep_names) {
  std::mt19937 random(1);
  std::vector<std::string> all;
  int samples_in_body = 10'000;
  for (int step = 0; step < std::max(1, 4'000 / hosts); ++step) {
    for (int host = 0; host < hosts; ++host) {
      for (int metric = 0; metric < 10; ++metric) {
        if (samples_in_body == 10'000) {
          all.emplace_back();
          samples_in_body = 0;
        }
        const double value = whole ? static_cast<double>(random() % 100) : static_cast<double>(random() % 10'000) / 100;
        protozero::pbf_writer(all.back()).add_message(1, series_of(metric, host, value, 1'451'606'400'000 + step));
        ++samples_in_body;
      }
    }
  }
  testing::NullGroups groups(keep_names);
  model::RowBatch batch;
  const auto parse_all = [&] {
    std::size_t samples = 0;
    for (const auto& body : all) {
      batch.clear();
      samples += parse_write_request(body, groups, batch)->accepted;
    }
    return samples;
  };
  parse_all();
  std::size_t samples = 0;
  for (auto _ : state) samples += parse_all();
  state.counters["per_sample"] =
      benchmark::Counter(static_cast<double>(samples), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(run, whole_4000_series, 400, true, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, whole_10000_series, 1000, true, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, decimal_4000_series, 400, false, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, whole_4000_series_by_hash, 400, true, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, whole_400000_series, 40'000, true, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, whole_400000_series_by_hash, 40'000, true, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::protocol::prometheus
