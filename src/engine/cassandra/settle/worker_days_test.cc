// SPDX-License-Identifier: Apache-2.0
// What is sealed hour by hour becomes a row when the day has nearly ended; late samples put it off, or lie beside it.
#include <gtest/gtest.h>

#include "engine/cassandra/settle/worker.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Timestamp;
using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;

class WorkerDaysTest : public ::testing::Test {
 protected:
  Cluster cluster{{.raw_retention_ms = 90 * kDay, .rollups = {{5 * kMinute, 400 * kDay}, {kHour, 400 * kDay}}}};
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  SealedView view{cluster};
  const Timestamp day = model::window_start(cluster.clock.now_ms(), kDay) + kDay;
  const std::int64_t quiet = cluster.options.quiet_ms;
  Samples expected;

  WorkerDaysTest() { cluster.clock.advance_ms(day - cluster.clock.now_ms()); }

  void append(Timestamp time, std::int64_t value) {
    const auto status = a.append(a.group({"cpu"}, "h"), time, value);
    ASSERT_TRUE(status && *status);
    expected[time] = value;
  }
  // A sample in each hour, which is sealed when it has ended; until half past the last one.
  void live(int from, int until) {
    for (int hour = from; hour < until; ++hour) {
      append(at(hour) + kMinute, hour);
      pass(at(hour + 1) + quiet - cluster.clock.now_ms());
      pass(kDayQuietMs);
    }
  }
  [[nodiscard]] Timestamp at(int hour) const { return day + hour * kHour; }
  void pass(std::int64_t ms) {
    cluster.clock.advance_ms(ms);
    ASSERT_TRUE(b.turns());
  }
  std::size_t rows() { return cluster.rows.size(cluster.tables.sealed); }
  std::uint64_t pending_days() { return a.pending.days().counts()->pending; }
  void expect_all() {
    EXPECT_EQ(view.sealed(SealedView::cells("h", {"cpu"}), 1, 0, {day - kDay, day + 9 * kDay}), expected);
  }
};

TEST_F(WorkerDaysTest, HoursBecomeARowBeforeTheDayHasEnded) {
  live(0, 21);
  EXPECT_EQ(rows(), 21U);
  EXPECT_EQ(pending_days(), 1U);
  EXPECT_EQ(a.worker.counts()->pending, 0U) << "days are not what people wait for";
  append(at(21), 21);
  append(at(22), 22);  // is pending then
  pass(at(22) + quiet - cluster.clock.now_ms());
  EXPECT_EQ(rows(), 22U);
  pass(kDayQuietMs - 1);
  EXPECT_EQ(rows(), 22U);
  pass(1);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(pending_days(), 0U);
  EXPECT_EQ(a.worker.counts()->pending, 1U);
  live(22, 26);
  EXPECT_EQ(rows(), 1U + 2 + 2) << "the last two hours lie beside it, as does what comes late";
  EXPECT_EQ(pending_days(), 1U) << "the next one";
  expect_all();
}

TEST_F(WorkerDaysTest, SettlingDoesNotWaitForQuiet) {
  live(0, 12);
  ASSERT_TRUE(b.worker.settle());
  EXPECT_EQ(rows(), 12U) << "it goes on";
  cluster.clock.advance_ms(kDay);
  ASSERT_TRUE(b.worker.settle());
  EXPECT_EQ(rows(), 1U);
  expect_all();
}

TEST_F(WorkerDaysTest, WhatIsPendingPutsItOff) {
  live(0, 21);
  append(at(21), 21);
  pass(at(22) + quiet - cluster.clock.now_ms());
  pass(kDayQuietMs - 2 * kMinute);
  append(at(3), 7);  // is not sealed before the day would be ready
  pass(3 * kMinute);
  EXPECT_EQ(rows(), 22U);
  cluster.rows.reset_counts();
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(cluster.rows.counts(cluster.tables.sealed).reads, 0U) << "it is not tried with each turn";
  pass(quiet);
  EXPECT_EQ(rows(), 22U) << "sealed, and the day was touched again";
  expect_all();
  pass(kDayQuietMs);
  EXPECT_EQ(rows(), 1U);
  expect_all();
}

TEST_F(WorkerDaysTest, LateSamplesLieBesideItUntilTheyAreMany) {
  live(0, 24);
  EXPECT_EQ(rows(), 3U);
  for (int hour = 0; hour < 3; ++hour) {
    append(at(hour), 100 + hour);
    pass(quiet);
    EXPECT_EQ(rows(), 4U + static_cast<std::size_t>(hour));
    pass(kDayQuietMs);
    expect_all();
  }
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(pending_days(), 0U);
}

TEST_F(WorkerDaysTest, HoursThatAreSealedTogetherAreNotLookedAtAgain) {
  for (int hour = 0; hour < 24; ++hour) append(at(hour), hour);
  pass(kDay + quiet);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(pending_days(), 0U);
  expect_all();
}

TEST_F(WorkerDaysTest, OfGroupsThatLiveForDaysNothingIsNoted) {
  Cluster brief{{.raw_retention_ms = 2 * kDay}};
  ClusterReplica replica{brief, 1};
  const Timestamp time = brief.clock.now_ms();
  const auto status = replica.append(replica.group({"cpu"}, "h"), time, 1);
  ASSERT_TRUE(status && *status);
  brief.clock.advance_ms(kHour + quiet);
  ASSERT_TRUE(replica.turns());
  EXPECT_EQ(brief.rows.size(brief.tables.sealed), 1U);
  EXPECT_EQ(replica.pending.days().counts()->pending, 0U);
}

TEST_F(WorkerDaysTest, WithoutRedisEverythingIsPending) {
  live(0, 21);
  cluster.redis.lose();
  cluster.clock.advance_ms(2 * kHour);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(rows(), 21U);
  for (const auto& replica : {&a, &b}) ASSERT_TRUE(replica->missed_touches.turn());
  pass(quiet);
  pass(kDayQuietMs);
  EXPECT_EQ(rows(), 1U) << "what the journal names is sealed again, over the rows of hours";
  expect_all();
}

TEST_F(WorkerDaysTest, AStoreThatFailsIsSaidAndAskedAgain) {
  live(0, 21);
  cluster.clock.advance_ms(2 * kHour);
  cluster.rows.fail_writes_after(0);
  EXPECT_EQ(b.turns().error().code, Code::unavailable);
  cluster.rows.let_write();
  pass(1);
  EXPECT_EQ(rows(), 1U);
  expect_all();
}

TEST_F(WorkerDaysTest, ADamagedDayIsSetAside) {
  live(0, 21);
  std::vector<RowWrite> written;
  const ChunkTable table = sealed_table(cluster.tables, cluster.schema, kHour);
  add_write(written, table, SealedView::cells("h", {"cpu"}), {at(5), 0, "x", {std::int64_t{1} << 60, {}}, {}},
            cluster.clock.now_ms());
  ASSERT_TRUE(cluster.rows.write_now(std::move(written)));
  pass(kHour);
  const auto list = *b.worker.set_aside();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].work, "merge");
  EXPECT_EQ(list[0].slot, day);
  EXPECT_EQ(list[0].series, "cpu{host=h}");
  EXPECT_FALSE(list[0].error.empty());
  EXPECT_EQ(b.worker.counts()->set_aside, 1U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
