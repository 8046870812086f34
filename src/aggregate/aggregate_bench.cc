// SPDX-License-Identifier: Apache-2.0
// What a sample costs once it is decoded: one chunk of an hour at 10 s (360 samples) per call, as a query sees them.
#include <benchmark/benchmark.h>

#include <random>

#include "aggregate/cell_set.h"

namespace varve::aggregate {
namespace {

using model::TimeUnit;
using model::ValueType;

void reduce_chunks(benchmark::State& state, Function f, ValueType type, Sampling sampling) {
  constexpr std::size_t kSamples = 360;
  std::mt19937_64 random(1);
  std::vector<model::Timestamp> times;
  std::vector<std::uint64_t> bits;
  for (std::size_t i = 0; i < kSamples; ++i) {
    times.push_back(1'700'000'000'000 + static_cast<model::Timestamp>(i) * 10'000);
    const auto v = static_cast<std::int64_t>(random() % 10'000);
    bits.push_back(type == ValueType::long_ ? static_cast<std::uint64_t>(v)
                                            : std::bit_cast<std::uint64_t>(static_cast<double>(v) / 100));
  }
  const Windows windows(sampling, true, times[0]);
  CellSet set;
  std::vector<Cell> cells;
  for (auto _ : state) {
    cells.clear();
    reduce(f, windows, {type, times, bits}, cells);
    set.add(f, cells);
    benchmark::DoNotOptimize(set);
  }
  state.counters["ns/sample"] = benchmark::Counter(static_cast<double>(state.iterations() * kSamples) * 1e-9,
                                                   benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr Sampling kHour{1, TimeUnit::hours};
constexpr Sampling kMinute{1, TimeUnit::minutes};
constexpr Sampling kSingle{1, TimeUnit::milliseconds};
BENCHMARK_CAPTURE(reduce_chunks, avg_doubles_hour, Function::avg, ValueType::double_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, avg_longs_hour, Function::avg, ValueType::long_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, max_doubles_hour, Function::max, ValueType::double_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, max_longs_hour, Function::max, ValueType::long_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, avg_doubles_minute, Function::avg, ValueType::double_, kMinute);
BENCHMARK_CAPTURE(reduce_chunks, last_doubles_minute, Function::last, ValueType::double_, kMinute);
BENCHMARK_CAPTURE(reduce_chunks, sum_doubles_every_sample, Function::sum, ValueType::double_, kSingle);

}  // namespace
}  // namespace varve::aggregate
