// SPDX-License-Identifier: Apache-2.0
// What it costs that series leave the index: of two million, nine of ten; and how long others wait for the index
// meanwhile, who define series all the time.
#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>

#include "engine/rocksdb/store.h"
#include "engine/rocksdb/testing/directory.h"

namespace varve::engine::rocksdb {
namespace {

constexpr int kPods = 400'000;
constexpr int kMetrics = 5;

class Churn {
 public:
  explicit Churn(Store& store) : store_(store), tenant_(*store.tenant("t")) {
    for (int m = 0; m < kMetrics; ++m) names_.push_back("metric_" + std::to_string(m));
  }
  void define(const std::string& pod) {
    const std::vector<std::string_view> metrics(names_.begin(), names_.end());
    const model::TagViews tags{{"namespace", "default"}, {"pod", pod}};
    benchmark::DoNotOptimize(store_.define_group(tenant_, tags, metrics));
  }
  void fill() {
    for (int pod = 0; pod < kPods; ++pod) define("pod-" + std::to_string(pod));
    std::vector<model::SeriesId> gone;
    for (std::uint32_t s = 0; s < kPods / 10U * 9U * kMetrics; ++s) gone.push_back(model::SeriesId{s});
    store_.forget_empty(tenant_, gone);
  }

 private:
  Store& store_;
  const model::TenantId tenant_;
  std::vector<std::string> names_;
};

void leave(benchmark::State& state) {
  std::size_t before = 0, after = 0;
  std::int64_t longest_ns = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const testing::TemporaryDirectory directory;
    const SystemClock clock;
    Options options;
    options.path = directory.path();
    options.leave_grace_ms = 3'600'000;
    auto store = Store::open(options, clock).value();
    Churn churn(*store);
    churn.fill();
    before = store->storage_bytes().index;
    store.reset();
    options.leave_grace_ms = 0;
    store = Store::open(options, clock).value();
    Churn more(*store);
    std::atomic<bool> done = false;
    std::thread other([&] {
      for (int pod = 0; !done; ++pod) {
        const std::string name = "new-" + std::to_string(pod);
        const std::int64_t began = clock.steady_ns();
        more.define(name);
        longest_ns = std::max(longest_ns, clock.steady_ns() - began);
        std::this_thread::yield();
      }
    });
    state.ResumeTiming();
    (void)store->settle();
    state.PauseTiming();
    done = true;
    other.join();
    after = store->storage_bytes().index;
    state.ResumeTiming();
  }
  state.counters["MB_before"] = static_cast<double>(before) / 1e6;
  state.counters["MB_after"] = static_cast<double>(after) / 1e6;
  state.counters["longest_define_ms"] = static_cast<double>(longest_ns) / 1e6;
}
BENCHMARK(leave)->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::engine::rocksdb
