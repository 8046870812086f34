// SPDX-License-Identifier: Apache-2.0
// What a number costs in an answer: as it was sent (two decimals), as it was computed (as many as a double has), and
// the times beside them.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "protocol/json/number_text.h"

namespace varve::protocol::json {
namespace {

constexpr std::size_t kNumbers = 8640;

template <class Number>
void write(benchmark::State& state, const std::vector<Number>& numbers, auto&& write_one) {
  std::string text(numbers.size() * kNumberChars, '\0');
  for (auto _ : state) {
    char* at = text.data();
    for (const Number number : numbers) at = write_one(at, number);
    benchmark::DoNotOptimize(at);
  }
  state.counters["ns/number"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(numbers.size()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void doubles(benchmark::State& state, double divisor) {
  std::mt19937_64 random(1);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < kNumbers; ++i) numbers.push_back(static_cast<double>(random() % 10'000) / 100 / divisor);
  write(state, numbers, write_double);
}

void times(benchmark::State& state) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    numbers.push_back(1'700'000'000'000 + static_cast<std::int64_t>(i) * 10'000);
  }
  NeighbourText neighbours;
  write(state, numbers, [&](char* at, std::int64_t time) { return neighbours.write(at, time); });
}

BENCHMARK_CAPTURE(doubles, sent, 1);
BENCHMARK_CAPTURE(doubles, computed, 3);
BENCHMARK(times);

}  // namespace
}  // namespace varve::protocol::json
