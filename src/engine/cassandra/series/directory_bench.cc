// SPDX-License-Identifier: Apache-2.0
// What each append costs in the directory: defining a group, and seeing that it is announced.
#include "engine/cassandra/series/directory.h"

#include <benchmark/benchmark.h>

#include <random>

namespace varve::engine::cassandra {
namespace {

constexpr std::uint32_t kGroups = 1'000'000;
constexpr std::int64_t kNowUs = 1'700'000'000'000'000;

struct Filled {
  Filled() : directory({}), tenant(directory.tenant("t")) {
    for (std::uint32_t i = 0; i < kGroups; ++i) define(i);
    for (std::uint32_t i = 0; i < kGroups; ++i) all.push_back({model::GroupId{i}, index_bucket_of(kNowUs / 1000)});
    directory.announced(all, kNowUs);
  }
  void define(std::uint32_t number) {
    const std::string host = "host-" + std::to_string(number);
    const std::string_view metrics[] = {"cpu"};
    benchmark::DoNotOptimize(directory.define(tenant, {{"dc", "x"}, {"host", host}}, metrics));
  }
  Directory directory;
  model::TenantId tenant;
  std::vector<GroupBucket> all;
};

Filled& filled() {
  static Filled one;
  return one;
}

// One batch of 10,000 groups anywhere among a million; items are groups.
void announced_check(benchmark::State& state) {
  Filled& f = filled();
  std::mt19937 random(1);
  std::vector<GroupBucket> batch;
  for (int i = 0; i < 10'000; ++i) batch.push_back(f.all[random() % kGroups]);
  for (auto _ : state) {
    if (state.range(0) != 0) {  // others each time, as the cache has them not
      state.PauseTiming();
      for (auto& one : batch) one = f.all[random() % kGroups];
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(f.directory.missing(batch, kNowUs));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch.size()));
  state.counters["bytes_a_group"] = static_cast<double>(f.directory.group_bytes()) / kGroups;
}
BENCHMARK(announced_check)->Arg(0)->Arg(1);

void define_known(benchmark::State& state) {
  Filled& f = filled();
  std::uint32_t at = 0;
  for (auto _ : state) f.define((at = (at + 7919) % kGroups));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(define_known);

void define_new(benchmark::State& state) {
  Directory directory({});
  const auto tenant = directory.tenant("t");
  std::uint32_t number = 0;
  for (auto _ : state) {
    const std::string host = "host-" + std::to_string(++number);
    const std::string_view metrics[] = {"cpu"};
    benchmark::DoNotOptimize(directory.define(tenant, {{"dc", "x"}, {"host", host}}, metrics));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(define_new);

}  // namespace
}  // namespace varve::engine::cassandra
