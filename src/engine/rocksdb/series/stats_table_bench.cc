// SPDX-License-Identifier: Apache-2.0
// What keeping the stats of a million series costs a spill, and how much of the spill that is.
#include <benchmark/benchmark.h>

#include "engine/rocksdb/series/stats_changes.h"
#include "engine/rocksdb/testing/directory.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint32_t kGroups = 100'000;
constexpr std::uint32_t kColumns = 10;
constexpr int kRows = 10;

// A spill in which every series has ten samples.
void life_of_a_spill(benchmark::State& state) {
  StatsTable stats;
  std::vector<model::SeriesId> series(kGroups * kColumns);
  for (std::uint32_t s = 0; s < series.size(); ++s) series[s] = model::SeriesId{s};
  std::vector<model::Timestamp> times(kRows);
  for (int r = 0; r < kRows; ++r) times[static_cast<std::size_t>(r)] = 1'700'000'000'000 + r * 10'000;
  const std::vector<std::int64_t> ints(kRows, 7);
  chunk::Column column;
  column.ints = ints;
  const std::vector<chunk::Column> columns(kColumns, column);
  std::size_t bytes = 0;
  for (auto _ : state) {
    StatsChanges changes;
    for (std::uint32_t g = 0; g < kGroups; ++g) {
      changes.add(std::span(series).subspan(g * kColumns, kColumns), times, columns);
    }
    const auto pages = changes.apply(stats);
    bytes = 0;
    for (const auto& [number, page] : pages) bytes += encode_stats_page(*page).size();
    stats.replace(pages);
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(life_of_a_spill)->Unit(benchmark::kMillisecond);

// The whole of it: a million series, ten samples each.
void spill_of_a_million(benchmark::State& state) {
  testing::TemporaryDirectory directory;
  const SystemClock clock;
  Options options;
  options.path = directory.path();
  options.log_bytes_max = options.head_bytes_max = std::size_t{1} << 30;
  auto store = std::move(*Store::open(options, clock));
  const auto tenant = *store->tenant("t");
  std::vector<std::string> names;
  for (std::uint32_t c = 0; c < kColumns; ++c) names.push_back("m" + std::to_string(c));
  const std::vector<std::string_view> metrics(names.begin(), names.end());
  std::vector<model::LineGroup> groups(kGroups);
  for (std::uint32_t g = 0; g < kGroups; ++g) {
    groups[g].id = *store->define_group(tenant, model::to_views({{"host", std::to_string(g)}}), metrics);
    groups[g].count = kColumns;
  }
  model::Timestamp time = clock.now_ms() / 3'600'000 * 3'600'000;
  model::RowBatch batch;
  std::vector<std::int64_t> values(kColumns);
  for (auto _ : state) {
    state.PauseTiming();
    for (int r = 0; r < kRows; ++r, time += 10'000) {
      for (std::uint32_t g = 0; g < kGroups; ++g) {
        for (auto& value : values) value = (value + static_cast<std::int64_t>(g) + r) % 101;
        if (g % 10'000 == 0) batch.clear();
        batch.add_longs(groups[g], time, values);
        if (g % 10'000 == 9'999) store->append(batch, [](const Status&) {});
      }
    }
    state.ResumeTiming();
    (void)store->settle();
  }
}
BENCHMARK(spill_of_a_million)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::engine::rocksdb
