// SPDX-License-Identifier: Apache-2.0
// The group table at one million groups of one series: time to define and to find, bytes a group, longest stall.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "write/group_table.h"
#include "write/testing/fake_stores.h"

namespace varve::write {
namespace {

constexpr std::size_t kGroups = 1'000'000;

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made;
    for (std::size_t i = 0; i < kGroups; ++i) {
      made.push_back("cpu_usage_user,hostname=host_" + std::to_string(i) +
                     ",region=eu-central-1,datacenter=eu-central-1a,rack=6,os=Ubuntu15.10,arch=x86,team=SF,service=19");
    }
    return made;
  }();
  return all;
}

struct World {
  testing::FakeSeriesStore series;
  TableContext context{series, {}, 24 << 20, {}};
  GroupTable table{context, model::TenantId{0}};
  const model::TagViews tags{{"host", "a"}};

  double define_all() {  // the longest call, in milliseconds
    const std::string_view metric = "m";
    double longest = 0;
    for (const auto& name : names()) {
      const auto begin = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(table.define(name, {}, tags, {&metric, 1}));
      longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return longest * 1e3;
  }
};

void define_a_million(benchmark::State& state) {
  names();
  for (auto _ : state) {
    World world;
    state.counters["longest_ms"] = world.define_all();
    state.counters["bytes_a_group"] = static_cast<double>(world.table.memory_bytes()) / kGroups;
  }
  state.counters["per_group"] =
      benchmark::Counter(static_cast<double>(kGroups) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(define_a_million)->Iterations(1)->Unit(benchmark::kMillisecond);

// stride 1: in the order of definition, as senders come; else all over the place.
void find(benchmark::State& state) {
  static World world;
  static const double longest = world.define_all();
  benchmark::DoNotOptimize(longest);
  const auto stride = static_cast<std::size_t>(state.range(0));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(world.table.find(names()[i], {}));
    i = (i + stride) % kGroups;
  }
}
BENCHMARK(find)->Arg(1)->Arg(617'363);

}  // namespace
}  // namespace varve::write
