// SPDX-License-Identifier: Apache-2.0
// Appending to a head what comes host after host: each group's slots one after the other, so many of them.
#include <benchmark/benchmark.h>

#include <vector>

#include "engine/rocksdb/head/head.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::int64_t kWidth = 3'600'000;
constexpr int kGroups = 20;
constexpr int kRowsOfSlot = 12;

void append_slots(benchmark::State& state) {
  const auto slots = state.range(0);
  SlabPool pool(std::size_t{1} << 12);
  std::vector<model::RowBatch> batches(kGroups);
  for (std::uint32_t g = 0; g < kGroups; ++g) {
    model::LineGroup group;
    group.id = model::GroupId{g};
    group.count = 1;
    for (std::int64_t row = 0; row < slots * kRowsOfSlot; ++row) {
      batches[g].add(group, row * (kWidth / kRowsOfSlot), model::Value::of_long(row));
    }
  }
  for (auto _ : state) {
    Head head(pool, kWidth);
    for (const model::RowBatch& batch : batches) head.append(batch.bytes(), 0);
    benchmark::DoNotOptimize(head.memory_bytes());
  }
  state.SetItemsProcessed(state.iterations() * kGroups * slots * kRowsOfSlot);
}
BENCHMARK(append_slots)->Arg(1)->Arg(24)->Arg(720)->Arg(8760)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::engine::rocksdb
