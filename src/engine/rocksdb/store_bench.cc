// SPDX-License-Identifier: Apache-2.0
// What the store costs a sample: append (log and head), spill, merge, scan from the head and from chunks, replay; and
// settling with rollups, of gauges and of the same samples as counters.
#include <benchmark/benchmark.h>

#include <random>

#include "engine/rocksdb/testing/directory.h"

namespace varve::engine::rocksdb {
namespace {

constexpr int kHosts = 1000;
constexpr int kFields = 10;
constexpr int kRows = 360;  // one hour at ten seconds

// Hosts of ten fields that walk by whole numbers; one batch a time step.
class Load {
 public:
  explicit Load(storage::SeriesStore& series) {
    std::vector<std::string> names;
    for (int f = 0; f < kFields; ++f) names.push_back("cpu_field" + std::to_string(f));
    const std::vector<std::string_view> metrics(names.begin(), names.end());
    tenant = *series.tenant("t");
    for (int h = 0; h < kHosts; ++h) {
      groups_[h].id = *series.define_group(tenant, model::to_views({{"host", "host_" + std::to_string(h)}}), metrics);
      groups_[h].count = kFields;
      for (auto& value : values_[h]) value = static_cast<std::int64_t>(random_() % 100);
    }
  }

  // Polls of counters, every half minute.
  const model::RowBatch& next_polls(int hosts) {
    batch_.clear();
    for (int h = 0; h < hosts; ++h) {
      for (auto& value : values_[h]) value += 900'000 + static_cast<std::int64_t>(random_() % 200'000);
      batch_.add_longs(groups_[h], time_, values_[h]);
    }
    time_ += 30'000;
    return batch_;
  }

  const model::RowBatch& next() {
    batch_.clear();
    for (int h = 0; h < kHosts; ++h) {
      for (auto& value : values_[h])
        value = std::clamp<std::int64_t>(value + static_cast<std::int64_t>(random_() % 3) - 1, 0, 100);
      batch_.add_longs(groups_[h], time_, values_[h]);
    }
    time_ += 10'000;
    return batch_;
  }

  model::TenantId tenant{};

 private:
  std::mt19937_64 random_{1};
  std::array<model::LineGroup, kHosts> groups_;
  std::array<std::array<std::int64_t, kFields>, kHosts> values_{};
  model::RowBatch batch_;
  model::Timestamp time_ = 1'700'000'000'000 / 3'600'000 * 3'600'000;
};

class Counting final : public storage::PieceSink {
 public:
  explicit Counting(bool stats) : stats_(stats) {}
  bool takes_stats(const storage::ChunkStats&) override { return stats_; }
  void stats(const storage::ChunkStats& stats) override { samples += stats.count; }
  Status piece(const storage::Piece& piece) override {
    samples += piece.size();
    return {};
  }
  std::uint64_t samples = 0;

 private:
  const bool stats_;
};

struct Bench {
  testing::TemporaryDirectory directory;
  SystemClock clock;
  Options options;
  std::unique_ptr<Store> store;
  std::unique_ptr<Load> load;

  Bench() {
    options.path = directory.path();
    open();
    load = std::make_unique<Load>(*store);
  }
  void open() {
    store.reset();
    store = std::move(*Store::open(options, clock));
  }
  void fill(int rows) {
    for (int i = 0; i < rows; ++i) store->append(load->next(), [](const Status&) {});
  }
  std::uint64_t scan(bool stats) {
    std::vector<model::SeriesId> all;
    for (int f = 0; f < kFields; ++f) {
      const auto some = *store->select(load->tenant, "cpu_field" + std::to_string(f), {});
      all.insert(all.end(), some.begin(), some.end());
    }
    Counting sink(stats);
    (void)store->scan(load->tenant, all, {}, sink);
    return sink.samples;
  }
};

void per_sample(benchmark::State& state, double samples) {
  state.counters["ns/sample"] = benchmark::Counter(samples * static_cast<double>(state.iterations()) / 1e9,
                                                   benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void append(benchmark::State& state) {
  Bench bench;
  for (auto _ : state) {
    state.PauseTiming();
    const auto& batch = bench.load->next();
    state.ResumeTiming();
    bench.store->append(batch, [](const Status&) {});
  }
  per_sample(state, kHosts * kFields);
}
BENCHMARK(append);

// What is known of all metrics, while so many hosts are written to between two questions.
void metric_stats(benchmark::State& state) {
  Bench bench;
  bench.fill(kRows);
  std::vector<std::string> metrics;
  for (int f = 0; f < kFields; ++f) metrics.push_back("cpu_field" + std::to_string(f));
  for (auto _ : state) {
    state.PauseTiming();
    if (state.range(0) > 0) {
      bench.store->append(bench.load->next_polls(static_cast<int>(state.range(0))), [](const Status&) {});
    }
    state.ResumeTiming();
    benchmark::DoNotOptimize(bench.store->metric_stats(bench.load->tenant, metrics)->front().stats.points);
  }
}
BENCHMARK(metric_stats)->Arg(0)->Arg(10)->Arg(kHosts)->Iterations(20)->Unit(benchmark::kMicrosecond);

void spill(benchmark::State& state) {
  Bench bench;
  for (auto _ : state) {
    state.PauseTiming();
    bench.fill(kRows);
    state.ResumeTiming();
    (void)bench.store->settle();
  }
  per_sample(state, kHosts * kFields * kRows);
}
BENCHMARK(spill)->Iterations(4)->Unit(benchmark::kMillisecond);

// 0: gauges, 1: the same as counters, whose windows say how they grew. A day, with what was not flushed yet; CPU time
// of all threads.
void settle_rollups(benchmark::State& state) {
  constexpr int kPolled = 200, kPolls = 2880;
  double rollup_bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Bench bench;
    bench.options.rollups.levels = {
        {300'000, rollup::kForEver}, {3'600'000, rollup::kForEver}, {86'400'000, rollup::kForEver}};
    if (state.range(0) != 0) {
      bench.options.rollups.counters =
          std::make_shared<const counter::Declared>(std::vector<counter::Pattern>{{"cpu_*", 30'000}});
    }
    bench.options.path += "/rolled_up";
    bench.open();
    bench.load = std::make_unique<Load>(*bench.store);
    for (int i = 0; i < kPolls; ++i) bench.store->append(bench.load->next_polls(kPolled), [](const Status&) {});
    state.ResumeTiming();
    (void)bench.store->settle();
    state.PauseTiming();
    rollup_bytes = static_cast<double>(bench.store->storage_bytes().rollup);
    state.ResumeTiming();
  }
  per_sample(state, static_cast<double>(kPolled) * kFields * kPolls);
  state.counters["bytes/window"] = rollup_bytes / (static_cast<double>(kPolled) * kFields * (288 + 24 + 1));
}
BENCHMARK(settle_rollups)->Arg(0)->Arg(1)->Iterations(3)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

void scan_head(benchmark::State& state) {
  Bench bench;
  bench.fill(kRows);
  std::uint64_t samples = 0;
  for (auto _ : state) samples = bench.scan(false);
  per_sample(state, static_cast<double>(samples));
}
BENCHMARK(scan_head)->Unit(benchmark::kMillisecond);

void scan_chunks(benchmark::State& state) {
  Bench bench;
  bench.fill(kRows);
  (void)bench.store->settle();
  std::uint64_t samples = 0;
  for (auto _ : state) samples = bench.scan(state.range(0) != 0);
  per_sample(state, static_cast<double>(samples));
}
BENCHMARK(scan_chunks)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void replay(benchmark::State& state) {
  Bench bench;
  bench.fill(kRows);
  for (auto _ : state) bench.open();
  per_sample(state, kHosts * kFields * kRows);
}
BENCHMARK(replay)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::engine::rocksdb
