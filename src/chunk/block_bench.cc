// SPDX-License-Identifier: Apache-2.0
// Sealing and decoding, in nanoseconds and bytes a sample, on blocks of one hour.
#include <benchmark/benchmark.h>

#include <deque>

#include "chunk/block.h"
#include "chunk/sample_data.h"

namespace varve::chunk {
namespace {

constexpr std::size_t kHosts = 100;

struct Hour {
  std::deque<HostData> hosts;
  std::deque<std::vector<Column>> columns;
  std::vector<model::ValueType> types;
  std::size_t samples = 0;
};

const Hour& hour_of(DataSet set) {
  static std::array<Hour, 4> hours;
  Hour& hour = hours[static_cast<std::size_t>(set)];
  if (!hour.hosts.empty()) return hour;
  DataMaker maker(set, kHosts);
  hour.types.assign(1000, model::ValueType::double_);
  for (std::size_t h = 0; h < kHosts; ++h) {
    const HostData& host = hour.hosts.emplace_back(maker.hour(h, 0));
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
  return hour;
}

// Gives each block to `put`.
template <class Put>
void seal(const Hour& hour, BlockBuilder& builder, Put put) {
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

void bm_seal(benchmark::State& state, DataSet set) {
  const Hour& hour = hour_of(set);
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
  const Hour& hour = hour_of(set);
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
void bm_decode_warm(benchmark::State& state, DataSet set) {
  const Hour& hour = hour_of(set);
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

void bm_open(benchmark::State& state, DataSet set) {
  const Hour& hour = hour_of(set);
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
void seal_alone(const Hour& hour, BlockBuilder& builder, Put put) {
  for (std::size_t h = 0; h < hour.hosts.size(); ++h) {
    for (const Column& column : hour.columns[h]) {
      builder.add({model::GroupId{0}, hour.hosts[h].times, {&column, 1}});
      put(builder.finish());
    }
  }
}

void bm_seal_alone(benchmark::State& state, DataSet set) {
  const Hour& hour = hour_of(set);
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
  const Hour& hour = hour_of(set);
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

BENCHMARK_CAPTURE(bm_seal, int, DataSet::ints);
BENCHMARK_CAPTURE(bm_seal, decimal, DataSet::decimals);
BENCHMARK_CAPTURE(bm_seal, mix, DataSet::mix);
BENCHMARK_CAPTURE(bm_seal, digits, DataSet::digits);
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
BENCHMARK_CAPTURE(bm_decode_warm, int, DataSet::ints);
BENCHMARK_CAPTURE(bm_decode_warm, decimal, DataSet::decimals);
BENCHMARK_CAPTURE(bm_decode_warm, mix, DataSet::mix);

}  // namespace
}  // namespace varve::chunk
