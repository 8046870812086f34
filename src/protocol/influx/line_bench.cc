// SPDX-License-Identifier: Apache-2.0
// CPU per sample of the line protocol, on lines as the TSBS cpu-only use case has them.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "protocol/influx/line.h"
#include "protocol/testing/null_groups.h"

namespace varve::protocol::influx {
namespace {

constexpr const char* kFields[] = {"usage_user", "usage_system",  "usage_idle",  "usage_nice",  "usage_iowait",
                                   "usage_irq",  "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice"};

std::string tags_of(int host) {
  return "cpu,hostname=host_" + std::to_string(host) +
         ",region=eu-central-1,datacenter=eu-central-1a,rack=6,os=Ubuntu15.10,arch=x86,team=SF,service=19,"
         "service_version=1,service_environment=test ";
}

enum Kind { ints, decimals, long_decimals, mixed };

std::string number(Kind kind, int field, std::mt19937& random) {
  const int percent = static_cast<int>(random() % 101);
  const auto digits = [&](int n) {
    std::string text = std::to_string(percent) + '.';
    for (int i = 0; i < n; ++i) text += static_cast<char>('0' + random() % 10);
    return text;
  };
  switch (kind) {
    case ints: return std::to_string(percent) + 'i';
    case decimals: return digits(2);
    case long_decimals: return digits(16);
    case mixed: return field % 2 == 0 ? std::to_string(percent) + 'i' : digits(2);
  }
  return {};
}

// Bodies of 10,000 lines: one step of `hosts` after the other.
std::vector<std::string> bodies(Kind kind, int hosts, int fields, bool shuffled, int steps) {
  std::mt19937 random(1);
  std::vector<std::string> all(1);
  std::vector<int> order(static_cast<std::size_t>(hosts));
  for (int i = 0; i < hosts; ++i) order[static_cast<std::size_t>(i)] = i;
  int lines = 0;
  for (int step = 0; step < steps; ++step) {
    if (shuffled) std::shuffle(order.begin(), order.end(), random);
    const std::string time = std::to_string(1'451'606'400'000'000'000 + std::int64_t{10'000'000'000} * step);
    for (const int host : order) {
      for (int f = 0; f < 10; f += fields) {
        all.back() += tags_of(host);
        for (int i = f; i < f + fields; ++i) {
          if (i > f) all.back() += ',';
          all.back().append(kFields[i]).append("=").append(number(kind, i, random));
        }
        all.back() += ' ' + time + '\n';
        if (++lines % 10'000 == 0) all.emplace_back();
      }
    }
  }
  if (all.back().empty()) all.pop_back();
  for (auto& body : all) body.reserve(body.size() + kBodyPadding);
  return all;
}

void run(benchmark::State& state, Kind kind, int hosts, int fields, bool shuffled, bool keep_names = true) {
  const int steps = std::max(1, 40'000 / hosts) * fields / 10 + 1;
  const auto all = bodies(kind, hosts, fields, shuffled, steps);
  testing::NullGroups groups(keep_names);
  model::RowBatch batch;
  const auto parse_all = [&] {
    std::size_t samples = 0;
    for (const auto& body : all) {
      batch.clear();
      samples += parse_lines(body, Precision::ns, 0, groups, batch).accepted;
    }
    return samples;
  };
  parse_all();
  std::size_t samples = 0;
  std::size_t bytes = 0;
  for (auto _ : state) samples += parse_all();
  for (const auto& body : all) bytes += body.size();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.counters["per_sample"] =
      benchmark::Counter(static_cast<double>(samples), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(run, int_400_hosts, ints, 400, 10, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, int_400_hosts_by_hash, ints, 400, 10, false, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, decimal_400_hosts, decimals, 400, 10, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, int_and_decimal_400_hosts, mixed, 400, 10, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, float_16_digits_400_hosts, long_decimals, 400, 10, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, int_400_hosts_shuffled, ints, 400, 10, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, int_40000_hosts, ints, 40'000, 10, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, int_40000_hosts_by_hash, ints, 40'000, 10, false, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, int_40000_hosts_shuffled, ints, 40'000, 10, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, one_field_400_hosts, ints, 400, 1, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, one_field_400_hosts_by_hash, ints, 400, 1, false, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, one_field_20000_hosts, ints, 20'000, 1, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, one_field_20000_hosts_by_hash, ints, 20'000, 1, false, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::protocol::influx
