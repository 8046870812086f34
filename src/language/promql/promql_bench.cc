// SPDX-License-Identifier: Apache-2.0
// 1,000 steps over ranges of 10 to 10,000 samples: the time is that of samples and steps, not of their product. And
// sums of rates by group, as dashboards ask for.
#include <benchmark/benchmark.h>

#include <string>

#include "base/check.h"
#include "language/promql/duration.h"
#include "language/promql/evaluate.h"
#include "language/promql/parser.h"
#include "language/testing/promql_source.h"

namespace varve::language::promql {
namespace {

constexpr std::int64_t kScrapeMs = 15'000;

testing::MemorySource source_of(int series, int samples) {
  testing::MemorySource out;
  for (int i = 0; i < series; ++i) {
    Selected one;
    set_label(one.labels, "__name__", "m_total");
    set_label(one.labels, "host", "host-" + std::to_string(i));
    set_label(one.labels, "region", "region-" + std::to_string(i % 7));
    for (int at = 0; at < samples; ++at) {
      one.times.push_back(at * kScrapeMs);
      one.values.push_back((at * 37 + i) % 1000);
    }
    out.add(std::move(one));
  }
  return out;
}

void ask(benchmark::State& state, testing::MemorySource& source, const std::string& text, Steps steps) {
  const auto tree = parse(text);
  check(tree.has_value(), "a query");
  for (auto _ : state) {
    const auto answer = evaluate({**tree, text, steps, false}, source, {});
    check(answer && !answer->series.empty(), "an answer");
    benchmark::DoNotOptimize(answer);
  }
}

void BM_range(benchmark::State& state, const char* function) {
  testing::MemorySource source = source_of(1, 20'000);
  const std::string width = std::to_string(state.range(0) * kScrapeMs / 1000) + "s";
  const std::string before = std::string(function).starts_with("quantile") ? "0.9, " : "";
  ask(state, source, std::string(function) + "(" + before + "m_total[" + width + "])",
      {10'000 * kScrapeMs, 20'000 * kScrapeMs, 10 * kScrapeMs});
}
BENCHMARK_CAPTURE(BM_range, rate, "rate")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(BM_range, avg, "avg_over_time")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(BM_range, max, "max_over_time")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(BM_range, stddev, "stddev_over_time")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(BM_range, deriv, "deriv")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(BM_range, quantile, "quantile_over_time")->RangeMultiplier(10)->Range(10, 10'000);

// 100 series of a day, by the minute.
void BM_sum_of_rates(benchmark::State& state) {
  testing::MemorySource source = source_of(100, 5760);
  ask(state, source, "sum by (region) (rate(m_total[5m]))", {0, 5760 * kScrapeMs, 60'000});
}
BENCHMARK(BM_sum_of_rates)->Unit(benchmark::kMillisecond);

void BM_vector_matching(benchmark::State& state) {
  testing::MemorySource source = source_of(1000, 240);
  ask(state, source, "rate(m_total[5m]) / on (host, region) rate(m_total[10m])", {0, 240 * kScrapeMs, 60'000});
}
BENCHMARK(BM_vector_matching)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::language::promql
