// SPDX-License-Identifier: Apache-2.0
// What the tracker costs on a Redis of its own on loopback: touches (batches of many sizes, of random members over 64
// partitions and two slots), leaving them out, looking for work, completing, questions of queries, jobs. `server_us`:
// CPU time of redis-server an item, which is what replicas share.
#include <charconv>
#include <functional>
#include <random>

#include <benchmark/benchmark.h>

#include "driver/testing/redis_server.h"
#include "tracker/coalescing.h"
#include "tracker/redis/redis_jobs.h"
#include "tracker/redis/redis_tracker.h"

namespace varve::tracker::redis {
namespace {

constexpr std::uint32_t kMembers = 200'000;
constexpr std::int64_t kHour = 3'600'000;
constexpr model::TenantId kTenant{1};
const SystemClock system_clock;

class Names final : public MemberNames {
 public:
  [[nodiscard]] std::string tenant(model::TenantId) const override { return "default"; }
  [[nodiscard]] std::string name(const Member& member) const override {
    model::SeriesSetHash hash;
    std::memcpy(hash.bytes.data() + 3, &member.id, sizeof member.id);
    return member_name("default", hash);
  }
  Result<std::vector<std::optional<Member>>> find(std::span<const std::string_view> names) override {
    std::vector<std::optional<Member>> found;
    found.reserve(names.size());
    for (const std::string_view name : names) {
      Member member{kTenant, 0};
      std::memcpy(&member.id, name.data() + 3, sizeof member.id);
      found.emplace_back(member);
    }
    return found;
  }
};

struct Bench {
  Bench() {
    if (!link.recover([] { return Status(); })) std::abort();
  }
  // CPU seconds and bytes of memory, as Redis says.
  double info(std::string_view section, std::initializer_list<std::string_view> fields) {
    Question question = link.question();
    question.commands.command({"INFO", section});
    const Answer answer = *link.run(question);
    double sum = 0;
    for (const std::string_view field : fields) {
      const auto text = answer[0].text();
      const auto at = text.find(std::string("\n").append(field).append(":"));
      double value = 0;
      std::from_chars(text.data() + at + field.size() + 2, text.data() + text.size(), value);
      sum += value;
    }
    return sum;
  }
  double cpu_s() { return info("cpu", {"used_cpu_user", "used_cpu_sys"}); }

  driver::testing::RedisServer server;
  driver::Runtime runtime = *driver::Runtime::start(1);
  Link link{*driver::testing::connect_to(runtime, server, server.options()), LinkOptions{.timeout_ms = 60'000},
            system_clock};
  Names names;
  RedisTracker tracker{{}, link, names};
};

std::vector<Touch> batch(std::mt19937& random, std::size_t count) {
  std::uniform_int_distribution<std::uint32_t> members(0, kMembers - 1);
  std::vector<Touch> touches;
  touches.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t id = members(random);
    touches.push_back({{kTenant, id}, id * 7 % 64, id % 50 == 0 ? 0 : kHour});
  }
  return touches;
}

void finish(benchmark::State& state, Bench& bench, double cpu_before, std::size_t items) {
  const auto count = static_cast<double>(items);
  state.counters["server_us"] = (bench.cpu_s() - cpu_before) * 1e6 / count;
  state.counters["per_second"] = benchmark::Counter(count, benchmark::Counter::kIsRate);
}

void touch(benchmark::State& state) {
  Bench bench;
  std::mt19937 random(1);
  const auto size = static_cast<std::size_t>(state.range(0));
  model::Timestamp now = 2 * kHour;
  for (int i = 0; i < 100; ++i) (void)bench.tracker.touch(batch(random, 2000), now);  // most are there already
  std::size_t items = 0;
  const double cpu = bench.cpu_s();
  for (auto _ : state) {
    state.PauseTiming();
    const auto touches = batch(random, size);
    state.ResumeTiming();
    if (!bench.tracker.touch(touches, ++now)) state.SkipWithError("touch");
    items += size;
  }
  finish(state, bench, cpu, items);
}
BENCHMARK(touch)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Arg(10'000)->UseRealTime()->Unit(benchmark::kMicrosecond);

// Sixteen batches under way at once, as many connections of writers would have them.
void touch_without_waiting(benchmark::State& state) {
  Bench bench;
  std::mt19937 random(1);
  const auto size = static_cast<std::size_t>(state.range(0));
  model::Timestamp now = 2 * kHour;
  std::size_t items = 0;
  const double cpu = bench.cpu_s();
  for (auto _ : state) {
    std::atomic<int> left = 16;
    for (int i = 0; i < 16; ++i) {
      bench.tracker.touch(batch(random, size), ++now, [&left](const Status&) {
        if (--left == 0) left.notify_one();
      });
    }
    for (int seen = left; seen > 0; seen = left) left.wait(seen);
    items += 16 * size;
  }
  finish(state, bench, cpu, items);
}
BENCHMARK(touch_without_waiting)->Arg(10)->Arg(100)->Arg(1000)->UseRealTime()->Unit(benchmark::kMicrosecond);

void touch_left_out(benchmark::State& state) {
  Bench bench;
  CoalescingTracker tracker(bench.tracker, 300'000, 1'000'000, [&] { return bench.link.version(); });
  std::mt19937 random(1);
  const auto touches = batch(random, 1000);
  if (!tracker.touch(touches, kHour)) state.SkipWithError("touch");
  for (auto _ : state) benchmark::DoNotOptimize(tracker.touch(touches, kHour));
  state.counters["per_item"] = benchmark::Counter(1000.0 * static_cast<double>(state.iterations()),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(touch_left_out)->Unit(benchmark::kMicrosecond);

// All members, partition by partition, a thousand at a time.
void due_and_complete(benchmark::State& state) {
  Bench bench;
  double cpu = 0;
  std::size_t done = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const double before = bench.info("memory", {"used_memory"});
    std::vector<Touch> touches;
    touches.reserve(kMembers);
    for (std::uint32_t id = 0; id < kMembers; ++id) touches.push_back({{kTenant, id}, id * 7 % 64, 0});
    for (std::span<const Touch> rest(touches); !rest.empty(); rest = rest.subspan(1000))
      (void)bench.tracker.touch(rest.first(1000), 2 * kHour);
    state.counters["bytes"] = (bench.info("memory", {"used_memory"}) - before) / kMembers;
    cpu = bench.cpu_s();
    state.ResumeTiming();
    for (std::uint32_t partition = 0; partition < 64; ++partition) {
      while (true) {
        const auto list = bench.tracker.due(3 * kHour, {&partition, 1}, 1000, When::quiet);
        if (list->empty()) break;
        done += bench.tracker.complete_all(*list)->size();
      }
    }
  }
  if (done != kMembers) state.SkipWithError("not all completed");
  finish(state, bench, cpu, done);
}
BENCHMARK(due_and_complete)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

// One question at a time, with 200,000 members pending in two slots.
void question(benchmark::State& state, const std::function<bool(Bench&, RedisJobBoard&)>& ask) {
  Bench bench;
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) (void)bench.tracker.touch(batch(random, 2000), 2 * kHour);
  JobOptions options;
  for (std::uint32_t p = 0; p < 64; ++p) options.partitions.push_back(p);
  RedisJobBoard board(options, bench.link);
  const double cpu = bench.cpu_s();
  for (auto _ : state) {
    if (!ask(bench, board)) state.SkipWithError("no answer");
  }
  finish(state, bench, cpu, static_cast<std::size_t>(state.iterations()));
}
constexpr std::uint32_t kPartition = 5;
BENCHMARK_CAPTURE(question, due_nothing, [](Bench& b, RedisJobBoard&) -> bool {
  return b.tracker.due(kHour, {&kPartition, 1}, 1000, When::quiet).has_value();
})->UseRealTime();
BENCHMARK_CAPTURE(question, pending_slots, [](Bench& b, RedisJobBoard&) -> bool {
  return b.tracker.pending_slots(kTenant, {}).has_value();
})->UseRealTime();
BENCHMARK_CAPTURE(question, counts, [](Bench& b, RedisJobBoard&) -> bool {
  return b.tracker.counts().has_value();
})->UseRealTime();
BENCHMARK_CAPTURE(question, claim, [](Bench&, RedisJobBoard& board) -> bool {
  return board.claim("a").has_value();
})->UseRealTime();

}  // namespace
}  // namespace varve::tracker::redis
