// SPDX-License-Identifier: Apache-2.0
// Series of which nothing is left are forgotten, and are there again as soon as they are written.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/series/stats_page.h"
#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::RocksdbEngine;
using Names = std::vector<std::string>;

Options forgetful() {
  Options o;
  o.raw_retention_ms = 2 * kDay;
  o.rollups.levels = {{5 * kMinute, 4 * kDay}, {kHour, 6 * kDay}};
  o.slot_quiet_ms = 1000 * kDay;  // only settle() does anything
  o.merge_quiet_ms = 1000 * kDay;
  o.series_per_tenant_max = 3;
  return o;
}

class ForgetTest : public testing::RollupStore {
 protected:
  ForgetTest() : RollupStore(forgetful(), kStart + kHour) {}

  void put(const storage::testing::Group& group, model::Timestamp time) {
    const std::vector<Value> values(group.metrics.size(), Value::of_long(1));
    ASSERT_TRUE(store.put(group, time, values));
  }
  std::size_t count() { return engine.series().series_count(store.tenant()); }
};

TEST_F(ForgetTest, WhenEveryRetentionIsOver) {
  const auto old = store.group({"old", "older"}, {{"host", "a"}});
  put(*old, kStart);
  settle();
  for (int day = 1; day <= 6; ++day) {
    settle_in(kDay);
    EXPECT_EQ(names(), (Names{"old", "older"})) << "windows of an hour are still kept on day " << day;
  }
  settle_in(14 * kDay);  // level slots are wider than a day
  EXPECT_TRUE(names().empty());
  EXPECT_EQ(count(), 0U);
  EXPECT_EQ(engine.store().series_defined(), 2U);
  EXPECT_TRUE(engine.series().tag_values(store.tenant(), "", "host", {})->empty());
  EXPECT_TRUE(store.find("old").empty());

  const model::Timestamp now = clock.now_ms();
  put(*old, now);  // by a writer that knew its group all the time
  EXPECT_EQ(names(), (Names{"old", "older"}));
  EXPECT_EQ(store.read("old").size(), 1U);
  EXPECT_EQ(count(), 2U);
  settle();
  engine.restart();
  EXPECT_EQ(names(), (Names{"old", "older"}));
  EXPECT_EQ(store.read("older").size(), 1U);
}

TEST_F(ForgetTest, OnlyThoseWithoutData) {
  const auto old = store.group({"old"});
  const auto busy = store.group({"busy"});
  put(*old, kStart);
  put(*busy, kStart);
  settle();
  for (int day = 0; day < 30; ++day) {
    put(*busy, clock.now_ms());
    settle_in(kDay);
  }
  EXPECT_EQ(names(), Names{"busy"});
  EXPECT_GT(store.read("busy").size(), 0U);
}

TEST_F(ForgetTest, WhatIsInTheHeadStays) {
  const auto group = store.group({"m"});
  put(*group, kStart);
  settle();
  clock.advance_ms(30 * kDay);
  put(*group, kStart + kMinute);  // late: a second look finds it in the head
  engine.store().forget_empty(store.tenant(), store.find("m"));
  EXPECT_EQ(names(), Names{"m"});
}

TEST_F(ForgetTest, ARestartFindsTheSame) {
  const auto a = store.group({"a"});
  const auto b = store.group({"b"});
  put(*a, kStart);
  put(*b, kStart);
  settle();
  settle_in(30 * kDay);
  ASSERT_TRUE(names().empty());
  engine.restart();  // from the log
  EXPECT_TRUE(names().empty());
  put(*b, clock.now_ms());
  engine.restart();
  EXPECT_EQ(names(), Names{"b"});
  settle();
  engine.restart();
  EXPECT_EQ(names(), Names{"b"});
  put(*a, clock.now_ms());
  engine.restart();  // forgotten and revived, in the log and in the database
  EXPECT_EQ(names(), (Names{"a", "b"}));
}

TEST_F(ForgetTest, TheLimitCountsThoseThatAreThere) {
  const auto first = store.group({"a", "b", "c"});
  put(*first, kStart);
  const std::string_view d[] = {"d"};
  const std::string_view a[] = {"a"};
  const auto define = [&](std::span<const std::string_view> metrics) {
    return engine.series().define_group(store.tenant(), {}, metrics);
  };
  EXPECT_EQ(define(d).error().code, Code::limit);
  settle();
  settle_in(30 * kDay);
  ASSERT_EQ(count(), 0U);
  const auto others = store.group({"d", "e", "f"});
  put(*others, clock.now_ms());
  EXPECT_EQ(count(), 3U);
  EXPECT_EQ(engine.series().define_group(store.tenant(), model::to_views({{"host", "a"}}), a).error().code,
            Code::limit);

  // Who knows its group from before is refused as well, and nobody else.
  const auto append = [&](std::initializer_list<const storage::testing::Group*> groups) {
    model::RowBatch batch;
    const std::vector<Value> ones(3, Value::of_long(1));
    for (const auto* group : groups)
      batch.add(group->line, clock.now_ms(), std::span(ones).first(group->metrics.size()));
    return store.append(batch);
  };
  EXPECT_EQ(append({first}).error().code, Code::limit);
  EXPECT_EQ(count(), 3U);
  clock.advance_ms(1);
  const Status some = append({others, first, others});
  EXPECT_EQ(some.error().code, Code::invalid);
  EXPECT_EQ(
      some.error().message,
      "3 samples are refused, the others are kept: tenant 't' has 3 series; at most 3 (limits.series_per_tenant)");
  EXPECT_EQ(store.read("d").size(), 2U);
  EXPECT_EQ(count(), 3U);
  engine.restart();
  EXPECT_EQ(names(), (Names{"d", "e", "f"}));
  EXPECT_EQ(store.read("d").size(), 2U);

  engine.options().series_per_tenant_max = 6;
  engine.restart();
  const auto now = clock.now_ms();
  EXPECT_TRUE(append({others, first}));
  EXPECT_EQ(count(), 6U);
  EXPECT_EQ(store.read("a").count(now), 1U);
}

// Who has had no sample for a day takes nobody's place, but there may be ten times as many series in all.
TEST_F(ForgetTest, TheLimitIsOfThoseThatAreStillWritten) {
  const auto define = [&](const std::string& host) {
    const std::string_view metrics[] = {"pod"};
    return engine.series().define_group(store.tenant(), model::to_views({{"host", host}}), metrics);
  };
  const auto put_three = [&](int day) {
    for (int pod = 0; pod < 3; ++pod) {
      put(*store.group({"pod"}, {{"host", std::to_string(3 * day + pod)}}), clock.now_ms());
    }
  };
  for (int day = 0; day < 9; ++day) {
    put_three(day);
    EXPECT_EQ(define("one more").error().message, "tenant 't' has 3 series; at most 3 (limits.series_per_tenant)");
    settle();
    EXPECT_EQ(define("one more").error().code, Code::limit) << "they are written still";
    settle_in(kDay + 1);
    if (day == 5) engine.restart();
    clock.advance_ms(-kDay / 2);  // so that none is forgotten: all is less than the time of the windows
  }
  put_three(9);
  settle_in(kDay + 1);
  EXPECT_EQ(count(), 30U);
  EXPECT_EQ(
      define("one more").error().message,
      "tenant 't' has 30 series, most of them without new samples; at most 30 (10 times limits.series_per_tenant)");
}

// A directory may be older than series stats: windows count, wherever the samples have gone.
TEST_F(ForgetTest, WindowsOfWhichNothingElseIsKnown) {
  const auto m = store.group({"m"});
  store.group({"n"});
  put(*m, kStart);
  settle();
  settle_in(3 * kDay);
  engine.close();
  {
    auto database = *Database::open(engine.options().path + "/db");
    Database::Commit commit;
    std::vector<rocksdb::Run> runs;
    std::vector<std::pair<SlotKey, Mark>> marks;
    ASSERT_TRUE(database->recover(commit.checkpoint, runs, marks, [](std::string_view) { return Status{}; }));
    commit.stats = {{0, std::make_shared<StatsPage>()}};
    Database::Draft nothing(*database);
    ASSERT_TRUE(database->write(commit, nothing));
    ASSERT_TRUE(database->flush());
  }
  engine.open();
  ASSERT_EQ(engine.store().series_stats(store.tenant(), store.find("m"))->at(0).points, 0U);
  engine.store().forget_empty(store.tenant(), store.find("m"));
  engine.store().forget_empty(store.tenant(), store.find("n"));
  EXPECT_EQ(names(), Names{"m"});
}

// A replaced number leaves an empty window where it was: with a delete it goes at once, else when its time is over.
TEST_F(ForgetTest, EmptyWindows) {
  const auto replaced = store.group({"replaced"});
  const auto deleted = store.group({"deleted"});
  for (const auto* group : {replaced, deleted}) {
    put(*group, kStart);
    settle();
    ASSERT_TRUE(store.put(*group, kStart, {Value::of_double(std::nan(""))}));
    settle();
  }
  settle_in(3 * kDay);
  ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find("deleted"), {}, nullptr));
  engine.store().forget_empty(store.tenant(), store.find("deleted"));
  EXPECT_EQ(names(), Names{"replaced"});
  settle_in(20 * kDay);
  EXPECT_TRUE(names().empty());
}

TEST_F(ForgetTest, DefinedButNeverWritten) {
  const auto group = store.group({"m"});
  engine.store().forget_empty(store.tenant(), store.find("m"));
  EXPECT_TRUE(names().empty());
  put(*group, clock.now_ms());
  EXPECT_EQ(names(), Names{"m"});
}

// Each writer sees what it wrote, whatever is being forgotten.
TEST(Forget, WhileWritersWrite) {
  constexpr int kWriters = 2;
  constexpr int kRounds = 1000;
  Options options;
  options.log_bytes_max = 4000;
  options.rollups.levels = {};
  RocksdbEngine engine(options);
  storage::testing::Fixture store(engine);
  std::atomic<int> running{kWriters};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      const std::string own = "own" + std::to_string(w);
      for (int i = 0; i < kRounds; ++i) {
        const auto group = store.group({own + "_" + std::to_string(i % 50), "common"}, {{"w", std::to_string(w)}});
        EXPECT_TRUE(store.put(*group, i, {Value::of_long(i), Value::of_long(i)}));
        EXPECT_EQ(store.find(own + "_" + std::to_string(i % 50)).size(), 1U);
        EXPECT_EQ(store.read(group->metrics[0]).count(i), 1U);
      }
      --running;
    });
  }
  threads.emplace_back([&] {
    while (running > 0) {
      for (int w = 0; w < kWriters; ++w) {
        for (int i = 0; i < 50; ++i) {
          const auto found = store.find("own" + std::to_string(w) + "_" + std::to_string(i));
          engine.store().forget_empty(store.tenant(), found);
          (void)engine.store().series_stats(store.tenant(), found);
        }
      }
    }
  });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(engine.store().series_count(), 102U);
  for (int w = 0; w < kWriters; ++w) {
    for (int i = 0; i < 50; ++i) {
      const auto found = store.find("own" + std::to_string(w) + "_" + std::to_string(i));
      EXPECT_EQ(engine.store().series_stats(store.tenant(), found)->at(0).points, 20U);
    }
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
