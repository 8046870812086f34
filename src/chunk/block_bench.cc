// SPDX-License-Identifier: Apache-2.0
// Sealing and decoding, in nanoseconds and bytes a sample, on blocks of one hour, and on blocks of one day.
#include <benchmark/benchmark.h>

#include <deque>

#include "chunk/block.h"
#include "chunk/sample_data.h"

namespace varve::chunk {
namespace {

constexpr std::size_t kHosts = 100;
constexpr std::size_t kHostsOfDay = 10;

struct Span {
  std::deque<HostData> hosts;
  std::deque<std::vector<Column>> columns;
  std::vector<model::ValueType> types;
  std::size_t samples = 0;
};

void append(const HostData& more, HostData& to) {
  to.times.insert(to.times.end(), more.times.begin(), more.times.end());
  for (std::size_t f = 0; f < DataMaker::kFields; ++f) {
    to.ints[f].insert(to.ints[f].end(), more.ints[f].begin(), more.ints[f].end());
    to.bits[f].insert(to.bits[f].end(), more.bits[f].begin(), more.bits[f].end());
  }
}

void make(DataSet set, std::size_t hosts, std::size_t hours, Span& hour) {
  DataMaker maker(set, hosts);
  hour.types.assign(hours * 1000, model::ValueType::double_);
  for (std::size_t h = 0; h < hosts; ++h) {
    HostData& host = hour.hosts.emplace_back(maker.hour(h, 0));
    for (std::size_t later = 1; later < hours; ++later) append(maker.hour(h, later), host);
    auto& columns = hour.columns.emplace_back();
    for (std::size_t f = 0; f < DataMaker::kFields; ++f) {
      Column column;
      column.decimals = host.decimals[f];
      column.form = column.decimals != 0 ? Column::Form::decimals : Column::Form::longs;
      column.ints = host.ints[f];
      if (set == DataSet::digits) {
        column.form = Column::Form::typed;
        column.types = std::span(hour.types).first(host.times.size());
        column.bits = host.bits[f];
      }
      columns.push_back(column);
    }
    hour.samples += host.times.size() * DataMaker::kFields;
  }
}

const Span& hour_of(DataSet set) {
  static std::array<Span, 4> hours;
  Span& hour = hours[static_cast<std::size_t>(set)];
  if (hour.hosts.empty()) make(set, kHosts, 1, hour);
  return hour;
}

const Span& day_of(DataSet set) {
  static std::array<Span, 4> days;
  Span& day = days[static_cast<std::size_t>(set)];
  if (day.hosts.empty()) make(set, kHostsOfDay, 24, day);
  return day;
}

// Gives each block to `put`.
template <class Put>
void seal(const Span& hour, BlockBuilder& builder, Put put) {
  for (std::size_t h = 0; h < hour.hosts.size(); ++h) {
    builder.add({model::GroupId{static_cast<std::uint32_t>(h)}, hour.hosts[h].times, hour.columns[h]});
    if (builder.raw_bytes() >= kBlockBytesTarget) put(builder.finish());
  }
  if (!builder.empty()) put(builder.finish());
}

void per_sample(benchmark::State& state, std::size_t samples) {
  using benchmark::Counter;
  state.counters["sample"] =
      Counter(static_cast<double>(samples), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void bm_seal(benchmark::State& state, const Span& (*of)(DataSet), DataSet set) {
  const Span& hour = of(set);
  BlockBuilder builder;
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    seal(hour, builder, [&bytes](std::span<const std::byte> block) { bytes += block.size(); });
  }
  state.counters["bytes/sample"] = static_cast<double>(bytes) / static_cast<double>(hour.samples);
  per_sample(state, hour.samples);
}

// Opens every block and decodes every column, or one column of each group.
void bm_decode(benchmark::State& state, DataSet set, bool all) {
  const Span& hour = hour_of(set);
  BlockBuilder builder;
  std::vector<std::vector<std::byte>> blocks;
  seal(hour, builder, [&blocks](std::span<const std::byte> block) { blocks.emplace_back(block.begin(), block.end()); });
  DecodedColumn column;
  for (auto _ : state) {
    for (const auto& bytes : blocks) {
      const auto block = *Block::open(bytes);
      for (std::size_t g = 0; g < block->groups(); ++g) {
        for (std::size_t c = 0; c < (all ? block->columns(g) : 1); ++c) {
          if (!block->column(g, c, column)) state.SkipWithError("corrupt");
          benchmark::DoNotOptimize(column.bits.data());
        }
      }
    }
  }
  per_sample(state, all ? hour.samples : hour.samples / DataMaker::kFields);
}

// A block already open, as in the cache.
void bm_decode_warm(benchmark::State& state, const Span& (*of)(DataSet), DataSet set) {
  const Span& hour = of(set);
  BlockBuilder builder;
  std::vector<std::shared_ptr<const Block>> blocks;
  seal(hour, builder, [&blocks](std::span<const std::byte> block) { blocks.push_back(*Block::open(block)); });
  DecodedColumn column;
  for (auto _ : state) {
    for (const auto& block : blocks) {
      for (std::size_t g = 0; g < block->groups(); ++g) {
        for (std::size_t c = 0; c < block->columns(g); ++c) {
          if (!block->column(g, c, column)) state.SkipWithError("corrupt");
          benchmark::DoNotOptimize(column.bits.data());
        }
      }
    }
  }
  per_sample(state, hour.samples);
}

// One hour of each column of days that are open: how long that takes, by the samples of that hour. The hour before
// midnight is the one with most before it.
void bm_decode_hour_of_day(benchmark::State& state, DataSet set) {
  const Span& day = day_of(set);
  BlockBuilder builder;
  std::vector<std::shared_ptr<const Block>> blocks;
  seal(day, builder, [&blocks](std::span<const std::byte> block) { blocks.push_back(*Block::open(block)); });
  std::vector<model::Timestamp> times;
  DecodedColumn column;
  std::int64_t hour = 0;
  for (auto _ : state) {
    hour = (hour + 7) % 24;
    for (const auto& block : blocks) {
      for (std::size_t g = 0; g < block->groups(); ++g) {
        const model::Timestamp first = block->first_time(g) + hour * model::kHourMs;
        const auto rows = block->times(g, {first, first + model::kHourMs}, times);
        if (!rows) state.SkipWithError("corrupt");
        for (std::size_t c = 0; c < block->columns(g); ++c) {
          if (!block->column(g, c, *rows, column)) state.SkipWithError("corrupt");
          benchmark::DoNotOptimize(column.bits.data());
        }
      }
    }
  }
  per_sample(state, day.samples / 24);
}

void bm_open(benchmark::State& state, DataSet set) {
  const Span& hour = hour_of(set);
  BlockBuilder builder;
  std::vector<std::vector<std::byte>> blocks;
  seal(hour, builder, [&blocks](std::span<const std::byte> block) { blocks.emplace_back(block.begin(), block.end()); });
  for (auto _ : state) {
    for (const auto& bytes : blocks) benchmark::DoNotOptimize(Block::open(bytes));
  }
  per_sample(state, hour.samples);
}

// A block for each series, as the cluster engine stores a group of one metric.
template <class Put>
void seal_alone(const Span& hour, BlockBuilder& builder, Put put) {
  for (std::size_t h = 0; h < hour.hosts.size(); ++h) {
    for (const Column& column : hour.columns[h]) {
      builder.add({model::GroupId{0}, hour.hosts[h].times, {&column, 1}});
      put(builder.finish());
    }
  }
}

void bm_seal_alone(benchmark::State& state, DataSet set) {
  const Span& hour = hour_of(set);
  BlockBuilder builder;
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    seal_alone(hour, builder, [&bytes](std::span<const std::byte> block) { bytes += block.size(); });
  }
  state.counters["bytes/sample"] = static_cast<double>(bytes) / static_cast<double>(hour.samples);
  per_sample(state, hour.samples);
}

void bm_decode_alone(benchmark::State& state, DataSet set) {
  const Span& hour = hour_of(set);
  BlockBuilder builder;
  std::vector<std::vector<std::byte>> blocks;
  seal_alone(hour, builder,
             [&blocks](std::span<const std::byte> block) { blocks.emplace_back(block.begin(), block.end()); });
  DecodedColumn column;
  for (auto _ : state) {
    for (const auto& bytes : blocks) {
      const auto block = *Block::open(bytes);
      if (!block->column(0, 0, column)) state.SkipWithError("corrupt");
      benchmark::DoNotOptimize(column.bits.data());
    }
  }
  per_sample(state, hour.samples);
}

BENCHMARK_CAPTURE(bm_seal, int, hour_of, DataSet::ints);
BENCHMARK_CAPTURE(bm_seal, decimal, hour_of, DataSet::decimals);
BENCHMARK_CAPTURE(bm_seal, mix, hour_of, DataSet::mix);
BENCHMARK_CAPTURE(bm_seal, digits, hour_of, DataSet::digits);
BENCHMARK_CAPTURE(bm_seal, int_day, day_of, DataSet::ints);
BENCHMARK_CAPTURE(bm_seal, decimal_day, day_of, DataSet::decimals);
BENCHMARK_CAPTURE(bm_seal, mix_day, day_of, DataSet::mix);
BENCHMARK_CAPTURE(bm_seal_alone, int, DataSet::ints);
BENCHMARK_CAPTURE(bm_seal_alone, decimal, DataSet::decimals);
BENCHMARK_CAPTURE(bm_decode_alone, int, DataSet::ints);
BENCHMARK_CAPTURE(bm_decode_alone, decimal, DataSet::decimals);
BENCHMARK_CAPTURE(bm_open, int, DataSet::ints);
BENCHMARK_CAPTURE(bm_decode, int_all, DataSet::ints, true);
BENCHMARK_CAPTURE(bm_decode, decimal_all, DataSet::decimals, true);
BENCHMARK_CAPTURE(bm_decode, mix_all, DataSet::mix, true);
BENCHMARK_CAPTURE(bm_decode, digits_all, DataSet::digits, true);
BENCHMARK_CAPTURE(bm_decode, int_one_of_ten, DataSet::ints, false);
BENCHMARK_CAPTURE(bm_decode_warm, int, hour_of, DataSet::ints);
BENCHMARK_CAPTURE(bm_decode_warm, decimal, hour_of, DataSet::decimals);
BENCHMARK_CAPTURE(bm_decode_warm, mix, hour_of, DataSet::mix);
BENCHMARK_CAPTURE(bm_decode_warm, int_day, day_of, DataSet::ints);
BENCHMARK_CAPTURE(bm_decode_warm, decimal_day, day_of, DataSet::decimals);
BENCHMARK_CAPTURE(bm_decode_warm, mix_day, day_of, DataSet::mix);
BENCHMARK_CAPTURE(bm_decode_hour_of_day, int, DataSet::ints);
BENCHMARK_CAPTURE(bm_decode_hour_of_day, decimal, DataSet::decimals);
BENCHMARK_CAPTURE(bm_decode_hour_of_day, mix, DataSet::mix);

}  // namespace
}  // namespace varve::chunk
