// SPDX-License-Identifier: Apache-2.0
// What a sample costs once it is decoded: in cells one chunk of an hour at 10 s (360 samples) per call, as a query sees
// them; in steps over points a day of them, with the copy that the step is given (see `copy`).
#include <benchmark/benchmark.h>

#include <random>

#include "aggregate/cell_set.h"
#include "aggregate/pipeline.h"
#include "aggregate/split.h"

namespace varve::aggregate {
namespace {

using model::TimeUnit;
using model::ValueType;

// A sample each 10 s.
Points column(std::size_t samples, ValueType type) {
  std::mt19937_64 random(1);
  Points out;
  out.type = type;
  for (std::size_t i = 0; i < samples; ++i) {
    out.times.push_back(1'700'000'000'000 + static_cast<model::Timestamp>(i) * 10'000);
    const auto v = static_cast<std::int64_t>(random() % 10'000);
    out.bits.push_back(type == ValueType::long_ ? static_cast<std::uint64_t>(v)
                                                : std::bit_cast<std::uint64_t>(static_cast<double>(v) / 100));
  }
  return out;
}

void per_sample(benchmark::State& state, std::size_t samples) {
  state.counters["ns/sample"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(samples) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void reduce_chunks(benchmark::State& state, Function f, ValueType type, Sampling sampling, const char* zone = "") {
  constexpr std::size_t kSamples = 360;
  const Points in = column(kSamples, type);
  const Windows windows(sampling, true, in.times[0], model::TimeZone::find(zone).value());
  CellSet set;
  std::vector<Cell> cells;
  for (auto _ : state) {
    cells.clear();
    reduce(f, windows, {type, in.times, in.bits}, cells);
    set.add(f, cells);
    benchmark::DoNotOptimize(set);
  }
  per_sample(state, kSamples);
}

constexpr std::size_t kDay = 8640;

void copy(benchmark::State& state) {
  const Points in = column(kDay, ValueType::double_);
  for (auto _ : state) {
    Points copied = in;
    benchmark::DoNotOptimize(copied);
  }
  per_sample(state, kDay);
}

void step(benchmark::State& state, const Step& step, ValueType type = ValueType::double_) {
  const Points in = column(kDay, type);
  const Scope scope{in.times.front(), in.times.back(), {}};
  for (auto _ : state) {
    auto out = run({&step, 1}, scope, false, in, {});
    benchmark::DoNotOptimize(out);
  }
  per_sample(state, kDay);
}

void split_column(benchmark::State& state, const Split& by) {
  const Points in = column(kDay, ValueType::double_);
  for (auto _ : state) {
    auto out = split({&by, 1}, in.times.front(), in);
    benchmark::DoNotOptimize(out);
  }
  per_sample(state, kDay);
}

template <class Windowed>
Windowed hourly(Windowed windowed = {}) {
  windowed.sampling = {1, TimeUnit::hours};
  return windowed;
}

Step percentile() {
  auto out = hourly<Percentile>();
  out.fraction = 0.95;
  return out;
}

// Each sample is in six windows.
Step moving_window() {
  MovingWindow out;
  out.sampling = {6, TimeUnit::minutes};
  return out;
}

Step stage(Function function) {
  auto out = hourly<Stage>();
  out.function = function;
  return out;
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

BENCHMARK_CAPTURE(reduce_chunks, min_doubles_hour, Function::min, ValueType::double_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, count_doubles_hour, Function::count, ValueType::double_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, first_doubles_hour, Function::first, ValueType::double_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, dev_doubles_hour, Function::dev, ValueType::double_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, dev_longs_hour, Function::dev, ValueType::long_, kHour);
BENCHMARK_CAPTURE(reduce_chunks, avg_doubles_day, Function::avg, ValueType::double_, Sampling{1, TimeUnit::days});
BENCHMARK_CAPTURE(reduce_chunks, avg_doubles_day_paris, Function::avg, ValueType::double_, Sampling{1, TimeUnit::days},
                  "Europe/Paris");
BENCHMARK(copy);
BENCHMARK_CAPTURE(step, avg, stage(Function::avg));
BENCHMARK_CAPTURE(step, sum, stage(Function::sum));
BENCHMARK_CAPTURE(step, min, stage(Function::min));
BENCHMARK_CAPTURE(step, max, stage(Function::max));
BENCHMARK_CAPTURE(step, count, stage(Function::count));
BENCHMARK_CAPTURE(step, first, stage(Function::first));
BENCHMARK_CAPTURE(step, last, stage(Function::last));
BENCHMARK_CAPTURE(step, dev, stage(Function::dev));
BENCHMARK_CAPTURE(step, percentile, percentile());
BENCHMARK_CAPTURE(step, least_squares, hourly<LeastSquares>());
BENCHMARK_CAPTURE(step, gaps, hourly<Gaps>());
BENCHMARK_CAPTURE(step, moving_window, moving_window());
BENCHMARK_CAPTURE(step, diff, Diff{});
BENCHMARK_CAPTURE(step, diff_longs, Diff{}, ValueType::long_);
BENCHMARK_CAPTURE(step, rate, Rate{{1, TimeUnit::seconds}, {}});
BENCHMARK_CAPTURE(step, rate_months, Rate{{1, TimeUnit::months}, {}});
BENCHMARK_CAPTURE(step, sampler, Sampler{{1, TimeUnit::seconds}, {}});
BENCHMARK_CAPTURE(step, scale, Scale{2.5});
BENCHMARK_CAPTURE(step, scale_longs, Scale{2.5}, ValueType::long_);
BENCHMARK_CAPTURE(step, div, Divide{2.5});
BENCHMARK_CAPTURE(step, sma, Sma{10});
BENCHMARK_CAPTURE(step, trim, Trim{true, true});
BENCHMARK_CAPTURE(step, filter, Filter{Filter::Compare::less, 50.0});
BENCHMARK_CAPTURE(step, score, Score{{{25, false}, {50, true}, {75, false}}, false});
BENCHMARK_CAPTURE(step, save_as, SaveAs{"m", {}, 0, true});
BENCHMARK_CAPTURE(split_column, value, ValueSplit{20});
BENCHMARK_CAPTURE(split_column, bin, BinSplit{{10, 20, 50, 90}});
BENCHMARK_CAPTURE(split_column, time, TimeSplit{{1, TimeUnit::hours}, 24});

}  // namespace
}  // namespace varve::aggregate
