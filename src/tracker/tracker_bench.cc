// SPDX-License-Identifier: Apache-2.0
// The tracker at one million members in two slots: a touch (first, again, of random members), bytes an entry, and due
// with complete.
#include <random>

#include <benchmark/benchmark.h>

#include "tracker/local_tracker.h"
#include "tracker/partition.h"

namespace varve::tracker {
namespace {

constexpr std::uint32_t kMembers = 1'000'000;
constexpr std::size_t kBatch = 1000;
constexpr std::int64_t kHour = 3'600'000;
const TrackerOptions options;

enum Order { kInOrder, kRandom };

// Both slots of every member, in batches of one slot.
const std::vector<Touch>& touches(int order) {
  static const std::vector<Touch> in_order = [] {
    std::vector<Touch> list;
    for (std::int64_t slot = 0; slot < 2; ++slot) {
      for (std::uint32_t id = 0; id < kMembers; ++id)
        list.push_back({{model::TenantId{1}, id}, id * 7 % 64, slot * kHour});
    }
    return list;
  }();
  static const std::vector<Touch> random = [] {
    auto list = in_order;
    std::mt19937 source(1);
    std::shuffle(list.begin(), list.begin() + kMembers, source);
    std::shuffle(list.begin() + kMembers, list.end(), source);
    return list;
  }();
  return order == kInOrder ? in_order : random;
}

void touch_all(LocalTracker& tracker, int order, model::Timestamp now) {
  std::span<const Touch> rest(touches(order));
  for (; !rest.empty(); rest = rest.subspan(kBatch)) benchmark::DoNotOptimize(tracker.touch(rest.first(kBatch), now));
}

void per_touch(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * 2 * kMembers);
  state.counters["per_item"] = benchmark::Counter(2.0 * kMembers * static_cast<double>(state.iterations()),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void touch_first(benchmark::State& state) {
  const int order = static_cast<int>(state.range(0));
  touches(order);
  for (auto _ : state) {
    LocalTracker tracker(options);
    touch_all(tracker, order, 2 * kHour);
    state.counters["bytes"] = static_cast<double>(tracker.memory_bytes()) / (2.0 * kMembers);
  }
  per_touch(state);
}
BENCHMARK(touch_first)->Arg(kInOrder)->Arg(kRandom)->Iterations(1)->Unit(benchmark::kMillisecond);

void touch_again(benchmark::State& state) {
  const int order = static_cast<int>(state.range(0));
  LocalTracker tracker(options);
  touch_all(tracker, kInOrder, 2 * kHour);
  for (auto _ : state) touch_all(tracker, order, 2 * kHour);
  per_touch(state);
}
BENCHMARK(touch_again)->Arg(kInOrder)->Arg(kRandom)->Iterations(2)->Unit(benchmark::kMillisecond);

// A period's looks at 64 partitions when everything is ready; then the same when nothing is.
void due_and_complete(benchmark::State& state) {
  std::size_t done = 0;
  for (auto _ : state) {
    state.PauseTiming();
    LocalTracker tracker(options);
    touch_all(tracker, kInOrder, 2 * kHour);
    state.ResumeTiming();
    for (std::uint32_t partition = 0; partition < 64; ++partition) {
      while (true) {
        const auto list = tracker.due(3 * kHour, {&partition, 1}, 1000, When::quiet);
        if (list->empty()) break;
        for (const Due& work : *list) done += *tracker.complete(work) ? 1 : 0;
      }
    }
  }
  if (done != std::size_t{2} * kMembers * static_cast<std::size_t>(state.iterations()))
    state.SkipWithError("not all completed");
  per_touch(state);
}
BENCHMARK(due_and_complete)->Iterations(1)->Unit(benchmark::kMillisecond);

void due_nothing(benchmark::State& state) {
  LocalTracker tracker(options);
  touch_all(tracker, kInOrder, 2 * kHour);
  std::uint32_t partition = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(tracker.due(2 * kHour, {&partition, 1}, 1000, When::quiet));
    partition = (partition + 1) % 64;
  }
}
BENCHMARK(due_nothing);

void pending_slots(benchmark::State& state) {
  LocalTracker tracker(options);
  touch_all(tracker, kInOrder, 2 * kHour);
  for (auto _ : state) benchmark::DoNotOptimize(tracker.pending_slots(model::TenantId{1}, {0, kHour}));
}
BENCHMARK(pending_slots);

void partition(benchmark::State& state) {
  model::SeriesSetHash hash;
  for (auto _ : state) {
    ++hash.bytes[3];
    benchmark::DoNotOptimize(partition_of("default", hash, 64));
  }
}
BENCHMARK(partition);

}  // namespace
}  // namespace varve::tracker
