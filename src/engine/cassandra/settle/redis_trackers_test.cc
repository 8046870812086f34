// SPDX-License-Identifier: Apache-2.0
// The trackers in a real redis-server, which is emptied and killed; rows are in memory.
#include "engine/cassandra/settle/redis_trackers.h"

#include <gtest/gtest.h>

#include "engine/cassandra/testing/cluster.h"
#include "model/testing/lengths.h"
#include "tracker/redis/testing/shared.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Timestamp;
using model::testing::kHour;
using tracker::redis::testing::await;
using tracker::redis::testing::link_to;

// The link's, of which so much has passed as the test says.
class LaterClock final : public Clock {
 public:
  explicit LaterClock(const Clock& clock) : clock_(clock) {}
  void pass_ms(std::int64_t ms) { more_ms_ += ms; }
  [[nodiscard]] std::int64_t now_ms() const override { return clock_.now_ms() + more_ms_; }
  [[nodiscard]] std::int64_t steady_ns() const override { return clock_.steady_ns() + more_ms_ * 1'000'000; }

 private:
  const Clock& clock_;
  std::int64_t more_ms_ = 0;
};

// Nothing is known of their samples.
class Series final : public SeriesTables {
 public:
  using SeriesTables::SeriesTables;
  [[nodiscard]] Result<std::vector<storage::SeriesStats>> series_stats(
      model::TenantId, std::span<const model::SeriesId> series) const override {
    return std::vector<storage::SeriesStats>(series.size());
  }
};

class RedisTrackersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    await(*link);
    ASSERT_TRUE(missed_touches.turn()) << "an empty Redis is a lost one";
    ASSERT_FALSE(trackers.lost());
  }
  // Its slot and its rollup block are over.
  Status append() {
    model::LineGroup group;
    group.id = *series.define_group(*series.tenant("t"), {{"host", "h"}}, std::vector<std::string_view>{"cpu"});
    group.count = 1;
    model::RowBatch batch;
    batch.add(group, time, model::Value::of_long(3));
    EXPECT_TRUE(watermark.renew());
    std::promise<Status> told;
    appender.append(batch, [&](Status status) { told.set_value(std::move(status)); });
    auto done = told.get_future();
    while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {  // for the driver's threads
      if (missed_touches.unheard()) later.pass_ms(MissedTouches::kHeardMs);
      missed_touches.tell_heard();
    }
    return done.get();
  }
  void command(std::initializer_list<std::string_view> words) {
    auto question = link->question();
    question.commands.command(words);
    ASSERT_TRUE(link->run(question));
  }
  std::uint64_t waiting(tracker::SlotTracker& tracker) { return tracker.counts()->pending; }

  Cluster cluster;
  driver::testing::RedisServer server;
  std::unique_ptr<tracker::redis::Link> link = link_to(server, {.timeout_ms = 10'000, .pause_ms = 1});
  const Clock& clock = link->clock();
  LaterClock later{clock};
  MemoryRows rows{clock};
  tracker::redis::RedisVersions versions{*link};
  Series series{{.directory = {.partitions = 4}}, cluster.tables, rows, versions, clock};
  GroupNames names{series};
  RedisTrackers trackers{{.width_ms = kHour, .partitions = 4},
                         {{300'000, cluster.rollup_blocks_ms[0]}, {kHour, cluster.rollup_blocks_ms[1]}},
                         *link,
                         names};
  Journal journal{{.partitions = 4, .rollup_blocks_ms = cluster.rollup_blocks_ms}, cluster.tables, rows, series, clock};
  Watermark watermark{{.source = 1, .replica = "r"}, cluster.tables, rows, series.directory().stamps(), clock};
  MissedTouches missed_touches{{.source = 1, .replica = "r"}, cluster.tables, rows, trackers, journal,
                               series.directory().stamps(),   later};
  PendingTrackers pending{{.rollup_blocks_ms = cluster.rollup_blocks_ms}, trackers, journal, missed_touches};
  Appender appender{{.source = 1}, cluster.tables, rows, series, pending, journal, missed_touches, watermark, clock};
  SlotReader reader{rows, cluster.tables, cluster.schema, kHour};
  Sealer sealer{rows, reader, trackers, clock};
  Widener widener{rows, reader, trackers, clock};
  RollupBlockMaker maker{
      rows,           cluster.tables, reader, level_tables(cluster.tables, cluster.schema, Cluster::kSlotMs),
      cluster.schema, trackers,       clock};
  const rollup::Levels levels{cluster.options.rollups, {}};
  WorkPlan plan{series, levels, reader.sealed(), 100, clock};
  Worker worker{{.partitions = 4}, plan, pending, sealer, maker, widener, clock};
  const Timestamp time = SystemClock().now_ms() - 100 * kHour;
};

TEST_F(RedisTrackersTest, SamplesBecomeRollupBlocks) {
  ASSERT_TRUE(append());
  EXPECT_EQ(waiting(trackers.samples()), 1U);
  const auto tenant = *series.tenant("t");
  EXPECT_EQ(pending.pending(tenant, {})->slots, (std::vector<Timestamp>{model::window_start(time, kHour)}));
  const auto report = worker.settle();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->slots_sealed, 1U);
  EXPECT_EQ(rows.size(cluster.tables.levels[0]), 1U);
  EXPECT_EQ(rows.size(cluster.tables.levels[1]), 1U);
  EXPECT_EQ(waiting(trackers.samples()), 1U) << "touched just now";
  EXPECT_EQ(waiting(trackers.rollup_blocks(0)) + waiting(trackers.rollup_blocks(1)), 0U);
  EXPECT_EQ(waiting(trackers.days()), 1U) << "while a slot of it is pending";
}

TEST_F(RedisTrackersTest, OneQuestionTellsOfSlotsAndRollupBlocks) {
  ASSERT_TRUE(append());
  const auto tenant = *series.tenant("t");
  const Timestamp slot = model::window_start(time, kHour);
  const tracker::Touch block{{tenant, 0}, 0, model::window_start(time, cluster.rollup_blocks_ms[1])};
  ASSERT_TRUE(trackers.rollup_blocks(1).touch({&block, 1}, clock.now_ms()));
  using Lists = std::vector<std::vector<Timestamp>>;
  EXPECT_EQ(*trackers.pending_slots(tenant, {}), (Lists{{slot}, {}, {block.slot}}));
  EXPECT_EQ(*trackers.pending_slots(tenant, {slot, slot + 1}), (Lists{{slot}, {}, {block.slot}}));
  EXPECT_EQ(*trackers.pending_slots(tenant, {0, 1}), (Lists{{}, {}, {}}));
  command({"FLUSHALL"});
  EXPECT_EQ(trackers.pending_slots(tenant, {}).error().code, Code::unavailable);
}

TEST_F(RedisTrackersTest, WhatRedisLosesIsInTheJournal) {
  ASSERT_TRUE(append());
  command({"FLUSHALL"});
  const auto tenant = *series.tenant("t");
  EXPECT_EQ(pending.pending(tenant, {})->slots.size(), 1U) << "by the journal";
  EXPECT_TRUE(trackers.lost());
  ASSERT_TRUE(missed_touches.turn());
  EXPECT_FALSE(trackers.lost());
  EXPECT_EQ(waiting(trackers.samples()), 1U);
}

TEST_F(RedisTrackersTest, WithoutRedisSamplesAreTakenIn) {
  server.kill();
  ASSERT_TRUE(append());
  EXPECT_EQ(markers_in(rows, cluster.tables), 1U);
  EXPECT_EQ(pending.pending(*series.tenant("t"), {})->slots.size(), 1U);
  EXPECT_EQ(worker.settle().error().code, Code::unavailable);
  EXPECT_FALSE(missed_touches.turn());
  server.start();
  await(*link);
  ASSERT_TRUE(missed_touches.turn());
  EXPECT_EQ(markers_in(rows, cluster.tables), 0U);
  EXPECT_EQ(waiting(trackers.samples()), 1U);
  EXPECT_EQ(worker.settle()->slots_sealed, 1U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
