// SPDX-License-Identifier: Apache-2.0
// Writers put into ended slots, some of them weeks old, while rounds spill, merge, seal, make coarse windows and drop
// samples, and queries scan all the time. A query sees every sample once: at least those that were acknowledged before
// it began, and at most those that were begun before it ended. For TSan as well.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/testing/effort.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/rollup_store.h"
#include "engine/rocksdb/testing/sums.h"
#include "model/testing/lengths.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
using storage::testing::Fixture;
using testing::kStart;
using testing::RocksdbEngine;

constexpr int kSettleRounds = varve::testing::effort(16);
constexpr std::uint64_t kSamplesOfARound = 4000;
constexpr int kWriters = 2;
constexpr int kReaders = 2;

Options options() {
  Options o;
  o.rollups.levels = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}};
  o.raw_retention_ms = 2 * kDay;
  o.head_bytes_max = 1 << 20;
  o.head_wait_ms = 600'000;  // a machine may be slow
  o.merge_quiet_ms = 1;
  o.slot_quiet_ms = 10 * kMinute;
  return o;
}

// Samples of one series, each 1, at times that are never the same.
struct Series {
  std::string metric;
  storage::testing::Group* group;
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> acknowledged{0};
};

TEST(SettleConcurrency, every_query_sees_every_sample_once) {
  testing::make_directories_in_memory();
  ManualClock clock(kStart + 4 * kDay);
  RocksdbEngine engine(options(), clock);
  Fixture store(engine);
  std::vector<Series> all(kWriters);
  for (int w = 0; w < kWriters; ++w) {
    auto& series = all[static_cast<std::size_t>(w)];
    series.metric = "m" + std::to_string(w);
    series.group = store.group({series.metric});
  }
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> allowed{kSamplesOfARound};

  // The n-th time: over all five days, never twice.
  const auto time_of = [](std::uint64_t n) {
    return kStart + static_cast<Timestamp>((n * 7'919'003) % static_cast<std::uint64_t>(5 * kDay));
  };
  const auto write = [&](Series& series) {
    for (std::uint64_t n = 0; !done;) {
      // What each round has to do is bounded: nothing holds the writers up.
      if (n >= allowed) {
        std::this_thread::yield();
        continue;
      }
      model::RowBatch batch;
      const Value one = Value::of_long(1);
      for (int i = 0; i < 20; ++i) batch.add(series.group->line, time_of(n++), {&one, 1});
      series.begun = n;
      ASSERT_TRUE(store.append(batch));
      series.acknowledged = n;
      std::this_thread::yield();
    }
  };
  const auto read = [&](std::size_t reader) {
    constexpr std::int64_t kWidths[] = {5 * kMinute, kHour, kDay};
    for (std::size_t look = reader; !done; ++look) {
      Series& series = all[look % all.size()];
      const model::TimeRange range{kStart, kStart + 5 * kDay};
      testing::SumSink sink(kWidths[look / all.size() % 3], range);
      storage::ScanOptions scan;
      scan.range = range;
      const std::uint64_t least = series.acknowledged;
      ASSERT_TRUE(engine.samples().scan(store.tenant(), store.find(series.metric), scan, sink));
      const std::uint64_t most = series.begun;
      std::uint64_t count = 0;
      double sum = 0;
      for (const auto& [start, window] : sink.sums) {
        count += window.count;
        sum += window.sum;
        ASSERT_EQ(window.min, 1);
        ASSERT_EQ(window.max, 1);
      }
      ASSERT_GE(count, least) << series.metric << ", look " << look;
      ASSERT_LE(count, most) << series.metric << ", look " << look;
      ASSERT_EQ(sum, static_cast<double>(count));
    }
  };

  {
    std::vector<std::jthread> threads;
    for (auto& series : all) threads.emplace_back([&] { write(series); });
    for (std::size_t r = 0; r < kReaders; ++r) threads.emplace_back([&, r] { read(r); });
    for (int round = 0; round < kSettleRounds && !::testing::Test::HasFailure(); ++round) {
      for (const auto& series : all) {
        const auto enough = static_cast<std::uint64_t>(round + 1) * 400;
        while (series.acknowledged < enough && !::testing::Test::HasFailure()) std::this_thread::yield();
      }
      allowed = static_cast<std::uint64_t>(round + 2) * kSamplesOfARound;
      clock.advance_ms(32 * kHour / kSettleRounds);  // samples of the next slots go
      const auto settled = engine.samples().settle();
      EXPECT_TRUE(settled) << settled.error().message;
    }
    done = true;
  }
  // Everything is there, and the samples of four days are not.
  for (const Series& series : all) {
    EXPECT_GT(series.begun, 100U);
    const model::TimeRange range{kStart, kStart + 5 * kDay};
    for (int look = 0; look < 2; ++look) {
      testing::SumSink sink(kDay, range);
      storage::ScanOptions scan;
      scan.range = range;
      ASSERT_TRUE(engine.samples().scan(store.tenant(), store.find(series.metric), scan, sink));
      std::uint64_t count = 0;
      for (const auto& [start, window] : sink.sums) count += window.count;
      EXPECT_EQ(count, series.begun);
      clock.advance_ms(2 * kHour);
      ASSERT_TRUE(engine.samples().settle());
    }
    EXPECT_TRUE(store.read(series.metric, {kStart, kStart + 3 * kDay}).empty());
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
